import { Module } from '@nestjs/common';
import { LoginModule } from '../login/login.module.js';
import { ApiKeysResolver } from './api-keys.resolver.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApiKeysStore } from './api-keys.store.js';
import { LimitsModule } from '../rate-limit/limits.module.js';
import { AuditLogRetention } from './audit-log-retention.service.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditLogStore } from './audit-log.store.js';
import { EndedCredentials } from './ended-credentials.service.js';
import { KeyRequests } from './key-requests.js';
import { KeyRequestsStore } from './key-requests.store.js';
import { LastUses } from './last-uses.service.js';
import { EndedCredentialsStore } from './ended-credentials.store.js';

@Module({
  imports: [LimitsModule, LoginModule],
  providers: [
    ApiKeysStore,
    AuditLogStore,
    AuditLogService,
    AuditLogRetention,
    ApiKeysService,
    ApiKeysResolver,
    EndedCredentialsStore,
    EndedCredentials,
    LastUses,
    KeyRequestsStore,
    KeyRequests,
  ],
  exports: [ApiKeysService, AuditLogService, AuditLogStore, LastUses],
})
export class ApiKeysModule {}
