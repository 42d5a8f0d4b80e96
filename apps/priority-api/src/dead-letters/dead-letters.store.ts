import { Injectable } from '@nestjs/common';
import type { Tx } from '@tradewind/service-kit';
import { DataSource } from 'typeorm';

export interface DeadLetter {
  id: string;
  message_id: string | null;
  reason: string;
  /** The message part of the envelope, as it came. */
  message: unknown;
  deliveries: number;
  first_received_at: Date;
  last_received_at: Date;
  redriven_at: Date | null;
}

export interface DeadLetterPage {
  letters: DeadLetter[];
  /** On all pages. */
  total: number;
  hasMore: boolean;
}

/** All SQL of the table dead_letter. */
@Injectable()
export class DeadLettersStore {
  constructor(private readonly db: DataSource) {}

  /** False when this message is there already; its repetition is counted. */
  async keep(letter: {
    fingerprint: string;
    messageId: string | undefined;
    reason: string;
    message: string;
  }): Promise<boolean> {
    const [row] = await this.db.query<{ deliveries: number }[]>(
      `insert into dead_letter(fingerprint, message_id, reason, message) values ($1, $2, $3, $4)
       on conflict (fingerprint) do update
         set deliveries = dead_letter.deliveries + 1, last_received_at = now(), reason = excluded.reason
       returning deliveries`,
      [letter.fingerprint, letter.messageId ?? null, letter.reason.slice(0, 2000), letter.message],
    );
    return row?.deliveries === 1;
  }

  /**
   * Latest first, those behind `after` alone.
   * @param after id of the last one of the page before
   */
  async list(options: { limit: number; withRedriven: boolean; after?: string | undefined }): Promise<DeadLetterPage> {
    const rows = await this.db.query<DeadLetter[]>(
      `select id::text, message_id, reason, message, deliveries, first_received_at, last_received_at, redriven_at
       from dead_letter where ($2 or redriven_at is null) and ($3::bigint is null or id < $3::bigint) order by id desc limit $1 + 1`,
      [options.limit, options.withRedriven, options.after ?? null],
    );
    const [count] = await this.db.query<{ total: number }[]>(
      'select count(*)::int as total from dead_letter where $1 or redriven_at is null',
      [options.withRedriven],
    );
    return { letters: rows.slice(0, options.limit), total: count!.total, hasMore: rows.length > options.limit };
  }

  async find(id: string): Promise<DeadLetter | undefined> {
    const [letter] = await this.db.query<DeadLetter[]>(
      `select id::text, message_id, reason, message, deliveries, first_received_at, last_received_at, redriven_at
       from dead_letter where id = $1`,
      [id],
    );
    return letter;
  }

  async recordRedrive(id: string): Promise<void> {
    await this.db.query('update dead_letter set redriven_at = now() where id = $1', [id]);
  }

  async countOpen(): Promise<number> {
    const [row] = await this.db.query<{ n: number }[]>(
      'select count(*)::int as n from dead_letter where redriven_at is null',
    );
    return row?.n ?? 0;
  }

  /** Removes what has been redriven; an open dead letter waits for a person however long that takes. */
  async removeRedrivenBefore(tx: Tx, before: Date, limit: number): Promise<number> {
    return tx.affected(
      `delete from dead_letter where id in (
         select id from dead_letter where redriven_at < $1 and last_received_at < $1 limit $2)`,
      [before, limit],
    );
  }
}
