import { Injectable } from '@nestjs/common';
import { ObjectStore, Warehouse } from '@tradewind/cloud-ports';
import { GroupCommit, Logger } from '@tradewind/service-kit';
import { profileBackupBucket } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import type { DeliveryProgress, KeptDelivery } from '../deliveries/delivery.types.js';
import { DeliveriesStore, type DeliveryOutcome } from '../deliveries/deliveries.store.js';
import { AppEvents } from '../events.js';
import { profileCallRow } from './profile-call-row.js';
import { retryAfterMs } from './storing-retry.js';

/** Rows of one append and marks of one update: enough to share the cost of a commit, little enough to hold. */
const groupSizeMax = 100;

/** Both places done or not, and what went wrong. */
interface Attempt {
  isDone: boolean;
  error?: string;
}

const done: Promise<Attempt> = Promise.resolve({ isDone: true });

/**
 * Brings deliveries to warehouse and backup. Both writes are idempotent (row_id, object name), so that an attempt may
 * be repeated by anyone at any time; neither place waits for the other.
 */
@Injectable()
export class ProfileStoringService {
  private readonly appends: GroupCommit<KeptDelivery, Attempt>;
  private readonly outcomes: GroupCommit<DeliveryOutcome, void>;
  private readonly underWay = new Set<Promise<unknown>>();
  /** What is done already and not yet in the table, by delivery. */
  private readonly unrecorded = new Map<string, DeliveryProgress>();
  private inMemory = 0;

  constructor(
    private readonly store: DeliveriesStore,
    private readonly warehouse: Warehouse,
    private readonly objects: ObjectStore,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    private readonly logger: Logger,
  ) {
    this.appends = new GroupCommit({ write: (group) => this.append(group), groupSizeMax, parallel: 2 });
    this.outcomes = new GroupCommit({
      write: async (group) => {
        await this.store.recordOutcomes(group);
        return group.map(() => undefined);
      },
      groupSizeMax,
    });
  }

  /** Resolves once every attempt is over and recorded. */
  async settle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  /** How far a delivery is, as far as this process knows. */
  progressOf(delivery: KeptDelivery): DeliveryProgress {
    return this.unrecorded.get(delivery.id) ?? delivery;
  }

  /** Whether another delivery may be held in memory; otherwise it waits in the inbox table. */
  get hasRoom(): boolean {
    return this.inMemory < this.config.DELIVERY_QUEUE_MAX;
  }

  /** One attempt at what is still missing of a delivery. Never rejects: what fails is recorded and tried again later. */
  attempt(delivery: KeptDelivery): Promise<DeliveryProgress> {
    return this.track(this.attemptBoth(delivery));
  }

  private async attemptBoth(delivery: KeptDelivery): Promise<DeliveryProgress> {
    this.inMemory += 1;
    try {
      const [stored, backedUp] = await Promise.all([
        delivery.isStored ? done : this.withTimeout('warehouse', this.appends.add(delivery)),
        delivery.isBackedUp ? done : this.withTimeout('storage', this.backUp(delivery)),
      ]);
      const progress = { isStored: stored.isDone, isBackedUp: backedUp.isDone };
      // The caller need not wait for the note that it is done: what is done shows in both places already.
      this.unrecorded.set(delivery.id, progress);
      void this.track(this.record(delivery, progress, [stored.error, backedUp.error])).finally(() =>
        this.unrecorded.delete(delivery.id),
      );
      return progress;
    } finally {
      this.inMemory -= 1;
    }
  }

  private track<T>(work: Promise<T>): Promise<T> {
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
    return work;
  }

  private async record(
    delivery: KeptDelivery,
    progress: DeliveryProgress,
    errors: (string | undefined)[],
  ): Promise<void> {
    const { STORE_BACKOFF_MS_MIN: minMs, STORE_BACKOFF_MS_MAX: maxMs } = this.config;
    const error = errors.filter((text) => text !== undefined).join('; ') || null;
    try {
      await this.outcomes.add({
        id: delivery.id,
        ...progress,
        error,
        retryAfterMs: retryAfterMs(delivery.attempts + 1, { minMs, maxMs }, Math.random()),
      });
    } catch (cause) {
      // The lease of the row runs out and the attempt is repeated, which both places recognise.
      this.logger.warn({ err: cause, delivery_id: delivery.id }, 'an attempt to store a profile could not be recorded');
      return;
    }
    if (progress.isStored && progress.isBackedUp) {
      const seconds = (Date.now() - delivery.receivedAt.getTime()) / 1000;
      this.events.emit('profile_stored', {
        network_username: delivery.networkUsername,
        object_name: delivery.objectName,
        seconds,
      });
    }
  }

  private async append(group: KeptDelivery[]): Promise<Attempt[]> {
    const now = new Date();
    const rows = group.map((delivery) => profileCallRow(delivery, now));
    try {
      const { rejected } = await this.warehouse.append('scraped_profile_calls', rows);
      const reasons = new Map(rejected.map(({ row_id, reason }) => [row_id, reason]));
      return rows.map(({ row_id }) => {
        const reason = reasons.get(row_id);
        return reason === undefined ? { isDone: true } : { isDone: false, error: this.failure('warehouse', reason) };
      });
    } catch (error) {
      const failure = this.failure('warehouse', error);
      return group.map(() => ({ isDone: false, error: failure }));
    }
  }

  private async backUp(delivery: KeptDelivery): Promise<Attempt> {
    try {
      // `exists` is success as well: the name belongs to this delivery alone, an earlier attempt wrote it.
      await this.objects.create(profileBackupBucket, delivery.objectName, delivery.body, 'application/json');
      return { isDone: true };
    } catch (error) {
      return { isDone: false, error: this.failure('storage', error) };
    }
  }

  private async withTimeout(target: 'warehouse' | 'storage', attempt: Promise<Attempt>): Promise<Attempt> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Attempt>((resolve) => {
      timer = setTimeout(
        () => resolve({ isDone: false, error: this.failure(target, 'no answer in time') }),
        this.config.STORE_TIMEOUT_MS,
      );
    });
    try {
      return await Promise.race([attempt, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private failure(target: 'warehouse' | 'storage', cause: unknown): string {
    const text = cause instanceof Error ? cause.message : String(cause);
    this.events.emit('store_failed', { target, reason: text });
    return `${target}: ${text}`.slice(0, 500);
  }
}
