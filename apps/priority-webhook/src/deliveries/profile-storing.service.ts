import { Injectable } from '@nestjs/common';
import { ObjectStore, Warehouse } from '@tradewind/cloud-ports';
import { BackgroundWork, errorText, GroupCommit, Logger, withinMs } from '@tradewind/service-kit';
import { backoffMs } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import type { DeliveryProgress, KeptDelivery } from './delivery.types.js';
import { DeliveriesStore } from './deliveries.store.js';
import { profileCallRow } from './profile-call-row.js';

/** Backups written at once: enough for the latency of a remote store, few enough to leave the disk to the inbox. */
const parallelBackups = 8;

/** Fresh deliveries of one attempt; DELIVERY_QUEUE_MAX is usually less. */
const freshGroupMax = 100;

/** Deliveries taken from the inbox at a time: they share their statements and commits. */
const passRows = 200;
/** Most bytes of bodies in one pass, which bounds its memory. */
const passBytes = 8 * 2 ** 20;

/** What went wrong; undefined when it is done. */
type Fault = string | undefined;

/**
 * Brings deliveries to warehouse and backup, a group at a time: one append, a bounded number of objects at once, one
 * record. Both writes are idempotent (row_id, object name), so any process may repeat an attempt at any time. Neither
 * store waits for the other.
 */
@Injectable()
export class ProfileStoringService {
  /** Progress that is not in the table yet, by delivery. */
  private readonly unrecorded = new Map<string, DeliveryProgress>();
  /** Deliveries that were just received, whose answers wait for the outcome. */
  private readonly fresh: GroupCommit<KeptDelivery, DeliveryProgress>;
  private freshCount = 0;
  private isWorkingOff = false;

  constructor(
    private readonly store: DeliveriesStore,
    private readonly warehouse: Warehouse,
    private readonly objects: ObjectStore,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    private readonly logger: Logger,
    private readonly background: BackgroundWork,
  ) {
    events.gauge(
      'oldest_undelivered_profile_seconds',
      'Age of the oldest received profile that is not both stored and backed up',
      () => store.oldestUnfinishedSeconds(),
    );
    background.every({ name: 'store profiles', intervalMs: config.LOOP_INTERVAL_MS, run: () => this.storeDue() });
    // One group at a time: what arrives meanwhile shares the next append, and the inbox keeps the disk.
    this.fresh = new GroupCommit({ write: (group) => this.attempt(group), groupSizeMax: freshGroupMax });
  }

  /** The progress of a delivery, as far as this process knows. */
  progressOf(delivery: KeptDelivery): DeliveryProgress {
    return this.unrecorded.get(delivery.id) ?? delivery;
  }

  /** Whether that many deliveries may be tried before they are answered; otherwise they wait in the inbox table. */
  hasRoomFor(count: number): boolean {
    return !this.isWorkingOff && this.freshCount + count <= this.config.DELIVERY_QUEUE_MAX;
  }

  /** An attempt at a delivery that was just received. Never rejects. */
  async attemptFresh(delivery: KeptDelivery): Promise<DeliveryProgress> {
    this.freshCount += 1;
    try {
      return await this.background.track(this.fresh.add(delivery));
    } finally {
      this.freshCount -= 1;
    }
  }

  /** One pass over the inbox, during which new deliveries wait there. True when there may be more. */
  private async storeDue(): Promise<boolean> {
    const due = await this.store.claimDue({ rows: passRows, bytes: passBytes }, leaseMs(this.config));
    if (due.length === 0) return false;
    this.isWorkingOff = true;
    try {
      const results = await this.attempt(due);
      const bytes = due.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
      const isFull = due.length === passRows || bytes >= passBytes;
      // After a failure it pauses, so that the failed store can recover.
      return isFull && results.every(({ isStored, isBackedUp }) => isStored && isBackedUp);
    } finally {
      this.isWorkingOff = false;
    }
  }

  /**
   * Does what is still missing of these deliveries, within STORE_TIMEOUT_MS, and answers the progress of each in their
   * order. Failures are recorded and tried again later.
   */
  private async attempt(deliveries: readonly KeptDelivery[]): Promise<DeliveryProgress[]> {
    const [storeFaults, backupFaults] = await Promise.all([
      this.append(deliveries.filter(({ isStored }) => !isStored)),
      this.backUp(deliveries.filter(({ isBackedUp }) => !isBackedUp)),
    ]);
    const attempts = deliveries.map((delivery) => {
      const faults = [storeFaults.get(delivery), backupFaults.get(delivery)];
      const progress = { isStored: faults[0] === undefined, isBackedUp: faults[1] === undefined };
      return { delivery, progress, error: faults.filter((fault) => fault !== undefined).join('; ') };
    });
    // The callers need not wait for this record: warehouse and object store hold the delivery already.
    for (const { delivery, progress } of attempts) this.unrecorded.set(delivery.id, progress);
    void this.background.track(this.record(attempts));
    return attempts.map(({ progress }) => progress);
  }

  private async record(
    attempts: readonly { delivery: KeptDelivery; progress: DeliveryProgress; error: string }[],
  ): Promise<void> {
    const { STORE_BACKOFF_MS_MIN: backoffMsMin, STORE_BACKOFF_MS_MAX: backoffMsMax } = this.config;
    const finished = attempts.filter(({ error }) => error === '');
    try {
      await this.store.recordFinished(finished.map(({ delivery }) => delivery.id));
      await this.store.recordUnfinished(
        attempts
          .filter(({ error }) => error !== '')
          .map(({ delivery, progress, error }) => ({
            id: delivery.id,
            ...progress,
            error,
            retryAfterMs: backoffMs(delivery.attempts + 1, { backoffMsMin, backoffMsMax }),
          })),
      );
    } catch (error) {
      // The leases run out and the attempts are repeated; both stores recognise repeats.
      this.logger.warn({ err: error, deliveries: attempts.length }, 'attempts to store profiles could not be recorded');
      return;
    } finally {
      for (const { delivery } of attempts) this.unrecorded.delete(delivery.id);
    }
    for (const { delivery } of finished) {
      this.events.emit('profile_stored', {
        network_username: delivery.networkUsername,
        object_name: delivery.objectName,
        seconds: (Date.now() - delivery.receivedAt.getTime()) / 1000,
      });
    }
  }

  private async append(deliveries: readonly KeptDelivery[]): Promise<Map<KeptDelivery, Fault>> {
    if (deliveries.length === 0) return new Map();
    const now = new Date();
    const rows = deliveries.map((delivery) => profileCallRow(delivery, now));
    try {
      const { rejected } = await withinMs(this.config.STORE_TIMEOUT_MS, () =>
        this.warehouse.append('scraped_profile_calls', rows),
      );
      const reasons = new Map(rejected.map(({ row_id, reason }) => [row_id, reason]));
      return new Map(
        deliveries.map((delivery, index) => {
          const reason = reasons.get(rows[index]!.row_id);
          return [delivery, reason === undefined ? undefined : this.fault('warehouse', reason)];
        }),
      );
    } catch (error) {
      const fault = this.fault('warehouse', error);
      return new Map(deliveries.map((delivery) => [delivery, fault]));
    }
  }

  private async backUp(deliveries: readonly KeptDelivery[]): Promise<Map<KeptDelivery, Fault>> {
    const faults = new Map<KeptDelivery, Fault>();
    const deadlineMs = performance.now() + this.config.STORE_TIMEOUT_MS;
    const open = deliveries.values();
    const writer = async () => {
      // All writers share the one iterator.
      for (const delivery of open) faults.set(delivery, await this.backUpOne(delivery, deadlineMs));
    };
    await Promise.all(Array.from({ length: Math.min(parallelBackups, deliveries.length) }, writer));
    return faults;
  }

  private async backUpOne({ objectName, body }: KeptDelivery, deadlineMs: number): Promise<Fault> {
    try {
      // `exists` is success as well: the name belongs to this delivery alone, an earlier attempt wrote it.
      await withinMs(Math.max(0, deadlineMs - performance.now()), () =>
        this.objects.create(this.config.OBJECT_STORE_BUCKET, objectName, body, 'application/json'),
      );
      return undefined;
    } catch (error) {
      return this.fault('storage', error);
    }
  }

  private fault(target: 'warehouse' | 'storage', cause: unknown): string {
    const text = errorText(cause);
    this.events.emit('store_failed', { target, reason: text });
    return `${target}: ${text}`.slice(0, 500);
  }
}

/**
 * How long a delivery belongs to the process that works on it, milliseconds. It has three times added: the limit of an
 * attempt that it may wait for, that of its own attempt, and time to record the outcome.
 */
export function leaseMs(config: AppConfig): number {
  return 2 * config.STORE_TIMEOUT_MS + 5_000;
}
