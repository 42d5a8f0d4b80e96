import { Injectable } from '@nestjs/common';
import { Db, type Queries, type Tx } from '@tradewind/service-kit';

export interface BatchMessageRecord {
  messageId: string;
  month: string;
  batchNumber: number;
  totalBatches: number;
  profiles: number;
}

/** All SQL of the table batch_message. */
@Injectable()
export class BatchMessagesStore {
  constructor(private readonly db: Db) {}

  /** Answers how often this message has been delivered, this delivery included. */
  async record(message: BatchMessageRecord, queries: Queries = this.db): Promise<number> {
    const [row] = await queries.rows<{ deliveries: number }>(
      `insert into batch_message(message_id, month, batch_number, total_batches, profiles) values ($1, $2, $3, $4, $5)
       on conflict (message_id) do update set deliveries = batch_message.deliveries + 1, last_received_at = now()
       returning deliveries`,
      [message.messageId, message.month, message.batchNumber, message.totalBatches, message.profiles],
    );
    return row?.deliveries ?? 1;
  }

  /** Removes messages that have not been delivered since; a queue keeps one for a month at most. */
  async removeLastReceivedBefore(tx: Tx, before: Date, limit: number): Promise<number> {
    return tx.affected(
      `delete from batch_message where message_id in (
         select message_id from batch_message where last_received_at < $1 limit $2)`,
      [before, limit],
    );
  }
}
