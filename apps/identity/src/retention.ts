// Deletes what has expired, in batches. Used codes and refresh tokens stay until they expire, because a second use must
// be noticed.
import { Injectable } from '@nestjs/common';
import { BackgroundWork, Db, registerRetention } from '@tradewind/service-kit';
import { AccountLinksStore } from './account-links/account-links.store.js';
import { AppConfig } from './app.config.js';
import { AuditStore } from './audit/audit.store.js';
import { ClientsStore } from './clients/clients.store.js';
import { AppEvents } from './events.js';
import { PayloadsStore } from './oidc/payloads/payloads.store.js';
import { SigningKeysStore } from './signing-keys/signing-keys.store.js';
import { AttemptsStore } from './throttle/attempts.store.js';

@Injectable()
export class Retention {
  constructor(
    background: BackgroundWork,
    db: Db,
    config: AppConfig,
    events: AppEvents,
    payloads: PayloadsStore,
    attempts: AttemptsStore,
    audits: AuditStore,
    clients: ClientsStore,
    signingKeys: SigningKeysStore,
    links: AccountLinksStore,
  ) {
    const { CLEANUP_INTERVAL_SECONDS, CLEANUP_BATCH_ROWS, AUDIT_RETENTION_DAYS, REGISTRATION_UNUSED_DAYS } = config;
    registerRetention(background, {
      db,
      intervalMs: CLEANUP_INTERVAL_SECONDS * 1000,
      batchRows: CLEANUP_BATCH_ROWS,
      // Outside the transaction of the lock: a statement that lost a race with a request runs again.
      steps: [
        { table: 'oidc_payload', remove: (_tx, limit) => payloads.deleteExpired(limit) },
        { table: 'attempt_window', remove: (_tx, limit) => attempts.deleteEnded(limit) },
        { table: 'audit_event', remove: (_tx, limit) => audits.deleteOlderThan(AUDIT_RETENTION_DAYS, limit) },
        { table: 'oauth_client', remove: () => clients.removeUnused(REGISTRATION_UNUSED_DAYS) },
        { table: 'account_link', remove: (_tx, limit) => links.deleteExpired(limit) },
        { table: 'signing_key', remove: () => signingKeys.deleteExpired() },
      ],
      onRemoved: (table, rows) => events.emit('expired_rows_deleted', { table, rows }),
    });
  }
}
