import { Global, Module } from '@nestjs/common';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
import { AuditStore } from '../audit/audit.store.js';
import { ClientRecords } from '../clients/client-records.js';
import { ClientsStore } from '../clients/clients.store.js';
import { AppEvents } from '../events.js';
import { PayloadsStore } from '../oidc/payloads.store.js';
import { SigningKeysStore } from '../signing-keys/signing-keys.store.js';
import { AttemptsStore } from '../throttle/attempts.store.js';
import { UsersStore } from '../users/users.store.js';
import { PreparedStatements } from './prepared-statements.js';
import { SealedText } from './sealed-text.js';

const shared = [
  AppEvents,
  PreparedStatements,
  ClientRecords,
  AuditStore,
  AuditLog,
  ClientsStore,
  PayloadsStore,
  SigningKeysStore,
  AttemptsStore,
  UsersStore,
];

/** All stores: the tables belong together, and features join them. */
@Global()
@Module({
  providers: [
    ...shared,
    {
      provide: SealedText,
      useFactory: (config: AppConfig) => new SealedText(config.STORAGE_KEYS),
      inject: [AppConfig],
    },
  ],
  exports: [...shared, SealedText],
})
export class StorageModule {}
