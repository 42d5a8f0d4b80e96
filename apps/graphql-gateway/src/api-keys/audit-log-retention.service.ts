// Drops the months of the audit log that are too old, and makes the table of each month before the month begins.
// Every replica does both; the second time they have no effect. Not with registerRetention, which removes rows in
// batches: a month goes at once with its table.
import { Injectable } from '@nestjs/common';
import { BackgroundWork, retentionIntervalMs } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { Clock } from '../clock.js';
import { AppEvents } from '../events.js';
import { AuditLogStore } from './audit-log.store.js';

/** Not while the service starts. A month without a table gets one with its first entry. */
const startsAfterMs = 60_000;

@Injectable()
export class AuditLogRetention {
  constructor(
    private readonly store: AuditLogStore,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly events: AppEvents,
    background: BackgroundWork,
  ) {
    background.every({
      name: 'audit log retention',
      intervalMs: retentionIntervalMs,
      startsAfterMs,
      run: () => this.pass(),
    });
  }

  async pass(): Promise<void> {
    const now = this.clock.now();
    await this.store.makeMonths(now);
    const dropped = await this.store.dropMonths(now, this.config.KEY_AUDIT_RETENTION_MONTHS);
    for (const table of dropped) this.events.emit('audit_month_dropped', { table });
  }
}
