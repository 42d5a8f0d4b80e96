// Deletes what has expired, in batches. Used codes and refresh tokens stay until they expire, because a second use must
// be noticed.
import { Injectable } from '@nestjs/common';
import { BackgroundWork, Db } from '@tradewind/service-kit';
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
    private readonly config: AppConfig,
    private readonly db: Db,
    private readonly payloads: PayloadsStore,
    private readonly attempts: AttemptsStore,
    private readonly audits: AuditStore,
    private readonly clients: ClientsStore,
    private readonly signingKeys: SigningKeysStore,
    private readonly events: AppEvents,
    background: BackgroundWork,
  ) {
    background.every({
      name: 'retention',
      intervalMs: config.CLEANUP_INTERVAL_SECONDS * 1000,
      run: () => this.pass(),
    });
  }

  /** One batch of everything. True when more is left to delete. */
  async pass(): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      // One replica at a time; the others try again after their pause.
      const [lock] = await tx.rows<{ taken: boolean }>(
        `select pg_try_advisory_xact_lock(hashtext('tradewind identity cleanup')) as taken`,
      );
      if (!lock?.taken) return false;
      const rows = this.config.CLEANUP_BATCH_ROWS;
      const deleted = [
        await this.payloads.deleteExpired(rows),
        await this.attempts.deleteEnded(rows),
        await this.audits.deleteOlderThan(this.config.AUDIT_RETENTION_DAYS, rows),
      ];
      await this.clients.removeUnused(this.config.REGISTRATION_UNUSED_DAYS);
      await this.signingKeys.deleteExpired();
      const total = deleted.reduce((sum, count) => sum + count, 0);
      if (total > 0) this.events.emit('expired_rows_deleted', { rows: total });
      return deleted.some((count) => count >= rows);
    });
  }
}
