import { Injectable } from '@nestjs/common';
import { AppConfig } from '../app.config.js';
import { readBatch, type PushedMessage } from '../batch-message.js';
import { isDeadLetterId } from '../dead-letters/dead-letters.service.js';
import type { DeadLetter } from '../dead-letters/dead-letter.entity.js';
import { DeadLettersStore } from '../dead-letters/dead-letters.store.js';
import { BatchesService } from './batches.service.js';

export type RedriveResult =
  { id: string; redriven: true; profiles_triggered: number } | { id: string; redriven: false; reason: string };

/** Receives dead letters again, after a setting or the code that refused them has changed. */
@Injectable()
export class DeadLetterRedrive {
  constructor(
    private readonly store: DeadLettersStore,
    private readonly batches: BatchesService,
    private readonly config: AppConfig,
  ) {}

  async redrive(id: string): Promise<RedriveResult> {
    const letter = isDeadLetterId(id) ? await this.store.find(id) : undefined;
    if (!letter) return { id, redriven: false, reason: 'there is no such dead letter' };
    return this.redriveLetter(letter);
  }

  async *redriveAll(limit: number): AsyncGenerator<RedriveResult> {
    const { letters } = await this.store.list({ limit, withRedriven: false });
    for (const letter of letters) yield await this.redriveLetter(letter);
  }

  private async redriveLetter(letter: DeadLetter): Promise<RedriveResult> {
    // The column holds the message object of an envelope, see DeadLettersService.keep.
    const message = letter.message as PushedMessage;
    const reading = readBatch(message, { profilesMax: this.config.BATCH_PROFILES_MAX, now: letter.first_received_at });
    if (reading.kind === 'malformed') return { id: letter.id, redriven: false, reason: reading.message };
    if (reading.batch.faults.length > 0)
      return { id: letter.id, redriven: false, reason: reading.batch.faults.join('; ') };
    const { profiles_triggered } = await this.batches.receive(message, letter.first_received_at);
    await this.store.recordRedrive(letter.id);
    return { id: letter.id, redriven: true, profiles_triggered };
  }
}
