import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { storableJson } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppEvents } from '../events.js';
import { messageIdOf, type PushedMessage } from '../batch-message.js';
import type { DeadLetter } from './dead-letter.entity.js';
import { DeadLettersStore, type DeadLetterPage } from './dead-letters.store.js';

/** Keeps messages that no retry can repair, for a person to look at. */
@Injectable()
export class DeadLettersService {
  constructor(
    private readonly store: DeadLettersStore,
    private readonly events: AppEvents,
  ) {
    events.gauge('open_dead_letters', 'Dead letters that nobody has redriven or dropped', () => store.countOpen());
  }

  /** @param kind bounded, for the metric; `reason` is the sentence for people */
  async keep(message: PushedMessage, kind: string, reason: string): Promise<void> {
    const messageId = messageIdOf(message);
    const fingerprint = createHash('sha256')
      .update(storableJson([messageId, message.data, message.attributes]))
      .digest('hex');
    const isNew = await this.store.keep({ fingerprint, messageId, reason, message: storableJson(message) });
    if (isNew) this.events.emit('batch_dead_lettered', { reason: kind, message_id: messageId, detail: reason });
  }

  countOpen(): Promise<number> {
    return this.store.countOpen();
  }

  list(options: { limit: number; withHandled: boolean; after?: string | undefined }): Promise<DeadLetterPage> {
    return this.store.list(options);
  }

  /** The same with the messages, read one by one. */
  async listWhole(options: Parameters<DeadLettersService['list']>[0]): Promise<DeadLetterPage<DeadLetter>> {
    const { letters, hasMore } = await this.store.list(options);
    const whole: DeadLetter[] = [];
    for (const { id } of letters) {
      const letter = await this.store.find(id);
      if (letter) whole.push(letter);
    }
    return { letters: whole, hasMore };
  }

  /**
   * Drops a dead letter that shall not be received again; it stays in the list of all.
   * @throws ServiceError 404, or 409 when it was redriven or dropped before
   */
  async drop(id: string, given: { reason: string; by: string | null }): Promise<void> {
    if (!(await this.find(id))) throw notFound();
    if (!(await this.store.drop(id, given))) throw handled();
    this.events.emit('dead_letter_dropped', { id, caller: given.by, detail: given.reason });
  }

  /** @param id as `list` shows it; undefined for what is no id, and when there is no such dead letter */
  async find(id: string): Promise<DeadLetter | undefined> {
    return isDeadLetterId(id) ? this.store.find(id) : undefined;
  }
}

export const notFound = (): ServiceError =>
  new ServiceError({ code: 'request.not_found', status: 404, message: 'There is no such dead letter' });

export const handled = (): ServiceError =>
  new ServiceError({ code: 'request.conflict', status: 409, message: 'It was redriven or dropped before' });

/** Whether a text can be the id of a row: digits that a bigint holds. */
export function isDeadLetterId(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}
