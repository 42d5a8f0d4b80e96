// A key that is made or revoked has its entry in the same transaction. No other request waits for the audit log: uses
// and refusals are collected in memory and written in batches. A clean stop writes the rest. While the database is away
// entries stay in memory; beyond the limit the oldest are dropped with an error event.
// Refusals beyond the first ones of a minute share a row (refusal-summary.ts), written when the minute is over. A kill
// loses the uses of the last quarter of a second, and the counts of one minute, at most.
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { BackgroundWork, type Tx } from '@tradewind/service-kit';
import { Clock } from '../clock.js';
import { AppEvents } from '../events.js';
import type { AuditEntry } from './audit-entry.entity.js';
import { AuditLogStore } from './audit-log.store.js';
import { RefusalSummary } from './refusal-summary.js';

const flushIntervalMs = 250;
const batchSize = 1000;
// About 50 MB. Without the database no key is accepted, so only refusals can reach this number.
const pendingMax = 100_000;

@Injectable()
export class AuditLogService implements BeforeApplicationShutdown {
  private pending: AuditEntry[] = [];
  private readonly refusals = new RefusalSummary();
  /** The last batch. */
  private writing: Promise<boolean> = Promise.resolve(false);

  constructor(
    private readonly log: AuditLogStore,
    private readonly events: AppEvents,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    background.every({
      name: 'audit log',
      intervalMs: flushIntervalMs,
      run: () => {
        this.add(this.refusals.takeEnded(this.clock.now()));
        return this.writeBatch();
      },
    });
  }

  /** For a use or a refusal. */
  record(entry: AuditEntry): void {
    const own = this.refusals.add(entry);
    if (own) this.add([own]);
  }

  /** For a change of keys: the entries are stored if and only if its transaction is. */
  async store(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
    await this.log.append(entries, tx);
  }

  /** Writes everything recorded so far. */
  async flush(): Promise<void> {
    this.add(this.refusals.takeAll());
    while (await this.writeBatch()) {
      // Another batch is waiting.
    }
  }

  /** After the last request and the last pass, and before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  private add(entries: readonly AuditEntry[]): void {
    for (const entry of entries) {
      if (this.pending.length >= pendingMax) {
        this.pending.shift();
        this.events.emit('audit_entries_lost', { reason: 'full' });
      }
      this.pending.push(entry);
    }
  }

  /** Writes the next batch after the one under way. True when there is more to write. */
  private writeBatch(): Promise<boolean> {
    this.writing = this.writing.catch(() => false).then(() => this.storeBatch());
    return this.writing;
  }

  /** An entry leaves the memory only after it is stored. */
  private async storeBatch(): Promise<boolean> {
    const batch = this.pending.splice(0, batchSize);
    if (batch.length === 0) return false;
    try {
      await this.log.append(batch);
    } catch (error) {
      this.pending.unshift(...batch);
      throw error;
    }
    return this.pending.length > 0;
  }
}
