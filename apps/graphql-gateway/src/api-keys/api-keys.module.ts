import { Module } from '@nestjs/common';
import { ApiKeysResolver } from './api-keys.resolver.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApiKeysStore } from './api-keys.store.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditLogStore } from './audit-log.store.js';

@Module({
  providers: [ApiKeysStore, AuditLogStore, AuditLogService, ApiKeysService, ApiKeysResolver],
  exports: [ApiKeysService, AuditLogService],
})
export class ApiKeysModule {}
