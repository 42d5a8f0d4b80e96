// All SQL on the append-only audit log, a table for each month (UTC).
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AuditEntry, AuditOutcome } from './api-keys.types.js';

interface Row {
  at: Date;
  outcome: AuditOutcome;
  key_id: string | null;
  key_prefix: string | null;
  user_id: string | null;
  ip: string | null;
  operation_name: string | null;
  occurrences: number;
}

/** How long a change of the tables may wait for readers, who wait behind it meanwhile; the next pass tries again. */
const lockTimeout = '2s';

@Injectable()
export class AuditLogStore {
  /** First days of months whose tables are known to be there. */
  private readonly months = new Set<string>();

  constructor(private readonly dataSource: DataSource) {}

  /** Appends all entries in one statement, in their order. */
  async append(entries: readonly AuditEntry[]): Promise<void> {
    for (const month of new Set(entries.map(({ at }) => monthOf(at)))) await this.makeMonth(month);
    const insert = this.dataSource.query(
      `insert into api_key_audit (at, outcome, key_id, key_prefix, user_id, ip, operation_name, occurrences)
       select * from unnest($1::timestamptz[], $2::text[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::int[])`,
      [
        entries.map((entry) => entry.at),
        entries.map((entry) => entry.outcome),
        entries.map((entry) => entry.keyId),
        entries.map((entry) => entry.keyPrefix),
        entries.map((entry) => entry.userId),
        entries.map((entry) => entry.ip),
        entries.map((entry) => entry.operationName),
        entries.map((entry) => entry.occurrences ?? 1),
      ],
    );
    // The table of a month may be gone because of its age; the next attempt looks again.
    insert.catch(() => this.months.clear());
    await insert;
  }

  /** The last entries of a key, oldest first by when they happened: batches of entries may be written in another order. */
  async listOfKey(keyId: string, limit: number): Promise<AuditEntry[]> {
    const rows: Row[] = await this.dataSource.query(
      'select * from (select * from api_key_audit where key_id = $1 order by at desc, id desc limit $2) last order by at, id',
      [keyId, limit],
    );
    return rows.map((row) => ({
      at: row.at,
      outcome: row.outcome,
      keyId: row.key_id,
      keyPrefix: row.key_prefix,
      userId: row.user_id,
      ip: row.ip,
      operationName: row.operation_name,
      occurrences: row.occurrences,
    }));
  }

  /** Makes the tables of this month and the next, so that no entry waits for one. */
  async makeMonths(now: Date): Promise<void> {
    await this.makeMonth(monthOf(now));
    await this.makeMonth(monthOf(now, 1));
  }

  /** Drops the tables of months that ended before the last `monthsKept` began; answers their names. */
  async dropMonths(now: Date, monthsKept: number): Promise<string[]> {
    const oldest = tableOf(monthOf(now, -monthsKept));
    return this.dataSource.transaction(async (tx) => {
      await tx.query(`set local lock_timeout = '${lockTimeout}'`);
      const rows: { name: string }[] = await tx.query(
        `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'api_key_audit'::regclass and c.relname < $1 order by c.relname`,
        [oldest],
      );
      for (const { name } of rows) await tx.query(`drop table if exists "${name}"`);
      return rows.map(({ name }) => name);
    });
  }

  private async makeMonth(month: string): Promise<void> {
    if (this.months.has(month)) return;
    await this.dataSource.query('select make_api_key_audit_month($1::date)', [month]);
    this.months.add(month);
  }
}

/** First day of the month, or of one some months on, `YYYY-MM-DD`. */
function monthOf(instant: Date, monthsOn = 0): string {
  return new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + monthsOn, 1)).toISOString().slice(0, 10);
}

/** As `make_api_key_audit_month` names it; the names sort like the months. */
const tableOf = (month: string): string => `api_key_audit_${month.slice(0, 7).replace('-', '_')}`;
