import { Injectable } from '@nestjs/common';
import { byOperator } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { readBatch, type PushedMessage } from '../batch-message.js';
import { handled, isDeadLetterId, notFound } from '../dead-letters/dead-letters.service.js';
import type { DeadLetter } from '../dead-letters/dead-letter.entity.js';
import { DeadLettersStore } from '../dead-letters/dead-letters.store.js';
import { BatchesService } from './batches.service.js';

export type RedriveResult =
  { id: string; redriven: true; profiles_triggered: number } | { id: string; redriven: false; reason: string };

/** What is received instead of the kept message. */
export interface Correction {
  /** What `data` holds, decoded. */
  content?: Record<string, unknown> | undefined;
  /** Replace those of the same name. */
  attributes?: Record<string, string> | undefined;
}

/** Receives dead letters again, after a setting or the code that refused them has changed. */
@Injectable()
export class DeadLetterRedrive {
  constructor(
    private readonly store: DeadLettersStore,
    private readonly batches: BatchesService,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
  ) {}

  /** For commands: also one that was redriven before. */
  async redrive(id: string): Promise<RedriveResult> {
    const letter = isDeadLetterId(id) ? await this.store.find(id) : undefined;
    if (!letter) return { id, redriven: false, reason: 'there is no such dead letter' };
    return this.redriveLetter(letter, { by: byOperator.by });
  }

  async *redriveAll(limit: number): AsyncGenerator<RedriveResult> {
    const { letters } = await this.store.list({ limit, withHandled: false });
    for (const letter of letters) yield await this.redriveLetter(letter, { by: byOperator.by });
  }

  /**
   * Receives an open dead letter again, as it is or corrected. Asking twice at once starts nothing twice: a profile of
   * a month is started once, whoever names it.
   * @throws ServiceError 404; 409 when it was redriven or dropped before; 400 when it still cannot be used
   */
  async redriveOpen(id: string, { by, ...correction }: Correction & { by: string | null }): Promise<number> {
    const letter = isDeadLetterId(id) ? await this.store.find(id) : undefined;
    if (!letter) throw notFound();
    if (letter.redriven_at ?? letter.dropped_at) throw handled();
    const result = await this.redriveLetter(letter, { by, ...correction });
    if (result.redriven) return result.profiles_triggered;
    throw new ServiceError({ code: 'request.invalid', status: 400, message: [result.reason] });
  }

  private async redriveLetter(
    letter: DeadLetter,
    { by, content, attributes }: Correction & { by: string | null },
  ): Promise<RedriveResult> {
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
    if (reading.kind === 'malformed') return { id: letter.id, redriven: false, reason: reading.message };
    if (reading.batch.faults.length > 0)
      return { id: letter.id, redriven: false, reason: reading.batch.faults.join('; ') };
    const { profiles_triggered } = await this.batches.receive(message, letter.first_received_at);
    await this.store.recordRedrive(letter.id, { by, ...(isCorrected ? { corrected: message } : {}) });
    this.events.emit('dead_letter_redriven', { id: letter.id, caller: by, corrected: isCorrected });
    return { id: letter.id, redriven: true, profiles_triggered };
  }
}
