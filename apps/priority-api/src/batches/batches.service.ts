import { Injectable } from '@nestjs/common';
import { Db, type Queries, type Tx } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { messageIdOf, readBatch, type Batch, type PushedMessage } from '../batch-message.js';
import { DeadLettersService } from '../dead-letters/dead-letters.service.js';
import { AppEvents } from '../events.js';
import { ProfileCallsStore } from '../profile-calls/profile-calls.store.js';
import { ProfileStarter } from '../profile-calls/profile-starter.js';
import type { BatchTriggerAnswer } from './batches.dto.js';
import { BatchMessagesStore } from './batch-messages.store.js';

/** Pause before the queue should deliver again, seconds. */
const retryAfterSeconds = 5;

/**
 * Receives batches: records their profiles, starts as many as a push has time for, and leaves the rest to the
 * background.
 */
@Injectable()
export class BatchesService {
  constructor(
    private readonly db: Db,
    private readonly messages: BatchMessagesStore,
    private readonly calls: ProfileCallsStore,
    private readonly starter: ProfileStarter,
    private readonly deadLetters: DeadLettersService,
    private readonly config: AppConfig,
    private readonly events: AppEvents,
  ) {}

  /** @param now when the message came; its month, unless it names another or its time */
  async receive(message: PushedMessage, now = new Date()): Promise<BatchTriggerAnswer> {
    const deadlineMs = performance.now() + this.config.PUSH_BUDGET_MS;
    const reading = readBatch(message, { profilesMax: this.config.BATCH_PROFILES_MAX, now });
    if (reading.kind === 'malformed') {
      await this.deadLetters.keep(message, reading.reason, reading.message);
      return answer(0, reading.batchNumber);
    }
    const { batch } = reading;
    if (batch.faults.length > 0) await this.deadLetters.keep(message, 'single_profiles', batch.faults.join('; '));
    (await this.keep(message, batch, this.db)).report();
    const { started, isDown } = await this.startWithin(batch, deadlineMs);
    if (started > 0 || !isDown) return answer(started, batch.batchNumber);
    throw new ServiceError({
      code: 'dependency.unavailable',
      status: 503,
      message: 'The scraping provider does not answer; deliver again later',
      retryable: true,
      retryAfterSeconds,
    });
  }

  /**
   * Receives a dead letter again. Its profiles are recorded in one transaction with the claim, so that it is redriven
   * exactly when they will be started, also by a process that ends in between. They start now or in the background.
   * @param claim false when somebody else was faster; nothing is recorded then
   * @returns how many have started by now, and how many are new; undefined without the claim
   */
  async receiveClaimed(
    message: PushedMessage,
    batch: Batch,
    claim: (tx: Tx) => Promise<boolean>,
  ): Promise<{ started: number; added: number } | undefined> {
    const deadlineMs = performance.now() + this.config.PUSH_BUDGET_MS;
    const kept = await this.db.transaction(async (tx) =>
      (await claim(tx)) ? this.keep(message, batch, tx) : undefined,
    );
    if (!kept) return undefined;
    kept.report();
    const { started } = await this.startWithin(batch, deadlineMs);
    return { started, added: kept.added };
  }

  /** How many of the profiles of a batch their month has received before, by any message. */
  countReceived({ month, generation, profiles }: Batch): Promise<number> {
    const networkUsernames = profiles.map(({ networkUsername }) => networkUsername);
    return this.calls.count({ month, generation, networkUsernames });
  }

  /** @returns how many profiles are new, and what writes the event once they are committed */
  private async keep(
    message: PushedMessage,
    batch: Batch,
    queries: Queries,
  ): Promise<{ added: number; report: () => void }> {
    const { month, generation, batchNumber, totalBatches, profiles } = batch;
    const messageId = messageIdOf(message);
    const deliveries = messageId
      ? await this.messages.record({ messageId, month, batchNumber, totalBatches, profiles: profiles.length }, queries)
      : 1;
    const reservedMs = this.config.PUSH_BUDGET_MS + 1_000;
    const added = await this.calls.insert({ month, generation, batchNumber, profiles }, reservedMs, queries);
    const report = () =>
      this.events.emit('batch_received', {
        repeated: deliveries > 1,
        message_id: messageId,
        month,
        batch_number: batchNumber,
        total_batches: totalBatches,
        profiles: profiles.length,
        profiles_new: added,
      });
    return { added, report };
  }

  /** Answers how many profiles this delivery has started, and whether the rest waits for a provider that is down. */
  private async startWithin(batch: Batch, deadlineMs: number): Promise<{ started: number; isDown: boolean }> {
    const group = {
      month: batch.month,
      generation: batch.generation,
      networkUsernames: batch.profiles.map(({ networkUsername }) => networkUsername),
    };
    const { started, metOutage } = await this.starter.start({ group, deadlineMs });
    const isAllDone = started === group.networkUsernames.length || (await this.calls.countOpen(group)) === 0;
    if (isAllDone) return { started, isDown: false };
    await this.calls.release(group);
    this.starter.wake();
    return { started, isDown: metOutage || (await this.calls.findPause())?.kind === 'outage' };
  }
}

function answer(profilesTriggered: number, batchNumber: number): BatchTriggerAnswer {
  return { status: 'success', profiles_triggered: profilesTriggered, batch_number: batchNumber };
}
