import { Module } from '@nestjs/common';
import { ApiKeysResolver } from './api-keys.resolver.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApiKeysStore } from './api-keys.store.js';
import { LimitsModule } from '../rate-limit/limits.module.js';
import { AuditLogRetention } from './audit-log-retention.service.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditLogStore } from './audit-log.store.js';

@Module({
  imports: [LimitsModule],
  providers: [ApiKeysStore, AuditLogStore, AuditLogService, AuditLogRetention, ApiKeysService, ApiKeysResolver],
  exports: [ApiKeysService, AuditLogService],
})
export class ApiKeysModule {}
