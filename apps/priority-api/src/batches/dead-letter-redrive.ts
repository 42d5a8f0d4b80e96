// How a dead letter is received again: by one person, once, with one correction.
import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { storableJson } from '@tradewind/service-kit';
import { ServiceError, type Month } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { readBatch, type Batch, type PushedMessage } from '../batch-message.js';
import { handled, isDeadLetterId, notFound } from '../dead-letters/dead-letters.service.js';
import { DeadLettersStore } from '../dead-letters/dead-letters.store.js';
import { BatchesService } from './batches.service.js';

/** What a dead letter holds that can be received, and how much of it the month does not have. */
export interface RedrivePlan {
  month: Month;
  profiles: number;
  /** Of these, those that the month has not received: they will be started. */
  profilesNew: number;
}

export type RedriveResult =
  { id: string; redriven: true; profiles_triggered: number } | { id: string; redriven: false; reason: string };

/** What is received instead of the kept message, and who asked. */
export interface Redrive {
  /** What `data` holds, decoded. */
  content?: Record<string, unknown> | undefined;
  /** Replace those of the same name. */
  attributes?: Record<string, string> | undefined;
  by: string | null;
}

/** Receives dead letters again, corrected, or after a setting or the code that refused them has changed. */
@Injectable()
export class DeadLetterRedrive {
  constructor(
    private readonly store: DeadLettersStore,
    private readonly batches: BatchesService,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
  ) {}

  /**
   * Receives an open dead letter again, as it is or corrected. The claim with the correction and the profiles that it
   * buys are one transaction. So of two corrections at once one is recorded and bought, a drop keeps nothing half done,
   * and a process that ends before the commit leaves the letter open and nothing to start. After the commit, the
   * background starts what this process does not, also while the provider is down.
   * @throws ServiceError 404; 409 when it was redriven or dropped before; 400 when it still cannot be used
   */
  async redrive(id: string, redrive: Redrive): Promise<RedrivePlan & { started: number }> {
    const { kept, message, batch, isCorrected } = await this.read(id, redrive);
    const { by } = redrive;
    // Whoever has a copy of the messages can prove by them what was corrected. The log has no content.
    const digests = { keptSha256: digestOf(kept), receivedSha256: digestOf(message) };
    const claim = { by, ...digests, ...(isCorrected ? { corrected: message } : {}) };
    const received = await this.batches.receiveClaimed(message, batch, (tx) =>
      this.store.claimForRedrive(tx, id, claim),
    );
    if (received === undefined) throw handled();
    this.events.emit('dead_letter_redriven', {
      ...{ id, caller: by, corrected: isCorrected },
      ...{ kept_sha256: digests.keptSha256, received_sha256: digests.receivedSha256 },
    });
    const { started, added } = received;
    return { month: batch.month, profiles: batch.profiles.length, profilesNew: added, started };
  }

  /**
   * What `redrive` would do now. Changes nothing.
   * @throws ServiceError as `redrive`
   */
  async plan(id: string, redrive: Redrive): Promise<RedrivePlan> {
    const { batch } = await this.read(id, redrive);
    const { month, profiles } = batch;
    return {
      month,
      profiles: profiles.length,
      profilesNew: profiles.length - (await this.batches.countReceived(batch)),
    };
  }

  /** The message that would be received instead of an open dead letter, and what it holds. */
  private async read(
    id: string,
    { content, attributes }: Redrive,
  ): Promise<{ kept: PushedMessage; message: PushedMessage; batch: Batch; isCorrected: boolean }> {
    const letter = isDeadLetterId(id) ? await this.store.find(id) : undefined;
    if (!letter) throw notFound();
    if (letter.redriven_at ?? letter.dropped_at) throw handled();
    // The column holds the message object of an envelope, see DeadLettersService.keep.
    const kept = letter.message as PushedMessage;
    const isCorrected = content !== undefined || attributes !== undefined;
    const message: PushedMessage = {
      ...kept,
      ...(content === undefined ? {} : { data: Buffer.from(JSON.stringify(content)).toString('base64') }),
      ...(attributes === undefined
        ? {}
        : { attributes: { ...(kept.attributes as object | undefined), ...attributes } }),
    };
    const reading = readBatch(message, { profilesMax: this.config.BATCH_PROFILES_MAX, now: letter.first_received_at });
    if (reading.kind === 'malformed') throw unusable(reading.message);
    if (reading.batch.faults.length > 0) throw unusable(reading.batch.faults.join('; '));
    return { kept, message, batch: reading.batch, isCorrected };
  }

  /** As `redrive`; a refusal is a result with its reason. */
  async tryRedrive(id: string, redrive: Redrive): Promise<RedriveResult> {
    try {
      return { id, redriven: true, profiles_triggered: (await this.redrive(id, redrive)).started };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      return { id, redriven: false, reason: error.message };
    }
  }

  async *tryRedriveAll(limit: number, redrive: Redrive): AsyncGenerator<RedriveResult> {
    const { letters } = await this.store.list({ limit, withHandled: false });
    for (const { id } of letters) yield await this.tryRedrive(id, redrive);
  }
}

/** Of the JSON that the columns `message` and `corrected` hold. */
const digestOf = (message: PushedMessage): string => hash('sha256', storableJson(message));

const unusable = (reason: string): ServiceError =>
  new ServiceError({ code: 'request.invalid', status: 400, message: [reason] });
