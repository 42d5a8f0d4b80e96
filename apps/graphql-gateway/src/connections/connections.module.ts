import { Module } from '@nestjs/common';
import { ConnectionsService } from './connections.service.js';
import { CountCache } from './count-cache.js';

@Module({ providers: [ConnectionsService, CountCache], exports: [ConnectionsService] })
export class ConnectionsModule {}
