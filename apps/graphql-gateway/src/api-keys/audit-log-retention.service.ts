// Drops the months of the audit log that are too old, and makes the table of each month before the month begins.
// Every replica does both; the second time they have no effect.
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { BackgroundLoop, Logger } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { Clock } from '../clock.js';
import { AppEvents } from '../events.js';
import { AuditLogStore } from './audit-log.store.js';

const intervalMs = 3_600_000;
/** Neither while the service starts nor in an operator command. A month without a table gets one with its first entry. */
const startsAfterMs = 60_000;

@Injectable()
export class AuditLogRetention implements OnModuleInit, OnModuleDestroy {
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly store: AuditLogStore,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly events: AppEvents,
    logger: Logger,
  ) {
    this.loop = new BackgroundLoop({
      name: 'audit-log-retention',
      intervalMs,
      startsAfterMs,
      run: () => this.pass(),
      logger,
    });
  }

  onModuleInit(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }

  async pass(): Promise<void> {
    const now = this.clock.now();
    await this.store.makeMonths(now);
    const dropped = await this.store.dropMonths(now, this.config.KEY_AUDIT_RETENTION_MONTHS);
    for (const table of dropped) this.events.emit('audit_month_dropped', { table });
  }
}
