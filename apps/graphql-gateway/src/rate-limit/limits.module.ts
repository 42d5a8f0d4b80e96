import { Module } from '@nestjs/common';
import { LimitsService } from './limits.service.js';
import { LimitsStore } from './limits.store.js';

@Module({ providers: [LimitsStore, LimitsService], exports: [LimitsService] })
export class LimitsModule {}
