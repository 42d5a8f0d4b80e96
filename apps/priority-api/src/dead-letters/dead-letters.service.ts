import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { storableJson } from '@tradewind/service-kit';
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
    events.gauge('open_dead_letters', 'Dead letters that nobody has redriven', () => store.countOpen());
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

  list(options: { limit: number; withRedriven: boolean; after?: string | undefined }): Promise<DeadLetterPage> {
    return this.store.list(options);
  }

  /** @param id as `list` shows it; undefined for what is no id, and when there is no such dead letter */
  async find(id: string): Promise<DeadLetter | undefined> {
    return isDeadLetterId(id) ? this.store.find(id) : undefined;
  }
}

/** Whether a text can be the id of a row: digits that a bigint holds. */
export function isDeadLetterId(text: string): boolean {
  return /^\d{1,18}$/.test(text);
}
