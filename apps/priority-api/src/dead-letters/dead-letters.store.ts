import { Injectable } from '@nestjs/common';
import { Db, storableJson, type Tx } from '@tradewind/service-kit';
import { IsNull, LessThan, type Repository } from 'typeorm';
import { DeadLetter } from './dead-letter.entity.js';

/** Without the messages, which may have megabytes. */
export type ListedDeadLetter = Omit<DeadLetter, 'message' | 'corrected' | 'kept_sha256' | 'received_sha256'>;

/** Who redrives a dead letter, and what is received. */
export interface RedriveClaim {
  /** Where it is not the kept message. */
  corrected?: unknown;
  by: string | null;
  /** Of the JSON texts of the kept message and of the received one. */
  keptSha256: string;
  receivedSha256: string;
}

export interface DeadLetterPage<Letter = ListedDeadLetter> {
  letters: Letter[];
  hasMore: boolean;
}

const listed = {
  ...{ id: true, message_id: true, reason: true, deliveries: true, first_received_at: true, last_received_at: true },
  ...{ redriven_at: true, redriven_by: true, dropped_at: true, dropped_by: true, drop_reason: true },
} as const;

/** Nobody has sent it again or dropped it. */
const open = { redriven_at: IsNull(), dropped_at: IsNull() };

@Injectable()
export class DeadLettersStore {
  private readonly letters: Repository<DeadLetter>;

  constructor(private readonly db: Db) {
    this.letters = db.repository(DeadLetter);
  }

  /** False when this message is kept already; the repeat is counted. */
  async keep(letter: {
    fingerprint: string;
    messageId: string | undefined;
    reason: string;
    message: string;
  }): Promise<boolean> {
    const [row] = await this.db.rows<{ deliveries: number }>(
      `insert into dead_letter(fingerprint, message_id, reason, message) values ($1, $2, $3, $4)
       on conflict (fingerprint) do update
         set deliveries = dead_letter.deliveries + 1, last_received_at = now(), reason = excluded.reason
       returning deliveries`,
      [letter.fingerprint, letter.messageId ?? null, letter.reason.slice(0, 2000), letter.message],
    );
    return row?.deliveries === 1;
  }

  /**
   * A page, the latest first: through dead_letter_open, or the primary key for all.
   * @param after id of the last one of the page before; the first page unless given
   */
  async list(options: { limit: number; withHandled: boolean; after?: string | undefined }): Promise<DeadLetterPage> {
    const { limit, withHandled, after } = options;
    const kind = withHandled ? {} : open;
    const letters = await this.letters.find({
      select: listed,
      where: { ...kind, ...(after === undefined ? {} : { id: LessThan(after) }) },
      order: { id: 'desc' },
      take: limit + 1,
    });
    return { letters: letters.slice(0, limit), hasMore: letters.length > limit };
  }

  async find(id: string): Promise<DeadLetter | undefined> {
    return (await this.letters.findOneBy({ id })) ?? undefined;
  }

  /**
   * Claims a dead letter for who redrives it: false when it is not open. Of several at once, also of a redrive and a
   * drop, the first takes the lock of the row, and the others find it handled when that one commits.
   */
  async claimForRedrive(
    tx: Tx,
    id: string,
    { corrected, by, keptSha256, receivedSha256 }: RedriveClaim,
  ): Promise<boolean> {
    const claimed = await tx.affected(
      `update dead_letter
       set redriven_at = now(), redriven_by = $2, corrected = $3, kept_sha256 = $4, received_sha256 = $5
       where id = $1 and redriven_at is null and dropped_at is null`,
      [id, by, corrected === undefined ? null : storableJson(corrected), keptSha256, receivedSha256],
    );
    return claimed === 1;
  }

  /** False when it is not open. */
  async drop(id: string, { reason, by }: { reason: string; by: string | null }): Promise<boolean> {
    const dropped = await this.letters.update(
      { id, ...open },
      { dropped_at: () => 'now()', dropped_by: by, drop_reason: reason },
    );
    return dropped.affected === 1;
  }

  async countOpen(): Promise<number> {
    return this.letters.countBy(open);
  }

  /** Removes dead letters that were redriven or dropped; an open one is kept until a person has seen it. */
  async removeHandledBefore(tx: Tx, before: Date, limit: number): Promise<number> {
    return tx.affected(
      `delete from dead_letter where id in (
         select id from dead_letter where coalesce(redriven_at, dropped_at) < $1 and last_received_at < $1 limit $2)`,
      [before, limit],
    );
  }
}
