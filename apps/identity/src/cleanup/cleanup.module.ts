import { Module } from '@nestjs/common';
import { Cleanup } from './cleanup.service.js';

@Module({ providers: [Cleanup] })
export class CleanupModule {}
