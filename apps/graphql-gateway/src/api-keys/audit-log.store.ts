// The append-only audit log, one table for each month (UTC).
import { Injectable } from '@nestjs/common';
import { Db, type Queries } from '@tradewind/service-kit';
import { AuditEntry } from './audit-entry.entity.js';

/** Longest wait for the lock that dropping a table takes: readers queue behind it. The next pass tries again. */
const lockTimeout = '2s';

export interface AuditPage {
  limit: number;
  /** The entry before the page; undefined for the first page. */
  after?: { at: Date; id: string } | undefined;
}

@Injectable()
export class AuditLogStore {
  /** First days of the months whose tables exist. */
  private readonly months = new Set<string>();

  constructor(private readonly db: Db) {}

  /**
   * Appends all entries in one statement, in their order. Safe to call again with entries of a call that failed. Their
   * numbers stay, so an entry that was stored although the connection broke is not stored twice. Given a transaction,
   * the entries are stored with what it changes, or not at all.
   */
  async append(entries: readonly AuditEntry[], queries: Queries = this.db): Promise<void> {
    await number(
      queries,
      entries.filter(({ id }) => id === undefined),
    );
    for (const month of new Set(entries.map(({ at }) => monthOf(at)))) await this.makeMonth(month, queries);
    try {
      await queries.affected(
        `insert into api_key_audit (id, at, outcome, key_id, key_prefix, user_id, ip, operation_name, occurrences,
           changed_by)
         select * from unnest($1::bigint[], $2::timestamptz[], $3::text[], $4::uuid[], $5::text[], $6::uuid[], $7::text[],
           $8::text[], $9::int[], $10::text[])
         on conflict (id, at) do nothing`,
        [
          entries.map((entry) => entry.id),
          entries.map((entry) => entry.at),
          entries.map((entry) => entry.outcome),
          entries.map((entry) => entry.keyId),
          entries.map((entry) => entry.keyPrefix),
          entries.map((entry) => entry.userId),
          entries.map((entry) => entry.ip),
          entries.map((entry) => entry.operationName),
          entries.map((entry) => entry.occurrences ?? 1),
          entries.map((entry) => entry.changedBy ?? null),
        ],
      );
    } catch (error) {
      // The table of a month may have been dropped because of its age; the next attempt makes it again.
      this.months.clear();
      throw error;
    }
  }

  /** Entries of a key, newest first by time: batches may be written in another order. */
  async listOfKey(keyId: string, { limit, after }: AuditPage): Promise<AuditEntry[]> {
    // Read by the index api_key_audit_key, backwards.
    const query = this.db
      .repository(AuditEntry)
      .createQueryBuilder('entry')
      .where('entry.keyId = :keyId', { keyId })
      .orderBy('entry.at', 'DESC')
      .addOrderBy('entry.id', 'DESC')
      .limit(limit);
    if (after) query.andWhere('(entry.at, entry.id) < (:at, :id)', after);
    return query.getMany();
  }

  /** How many requests of the user were refused since then because a limit was reached. */
  async countRateLimited(userId: string, since: Date): Promise<number> {
    const [row] = await this.db.rows<{ count: number }>(
      `select coalesce(sum(occurrences), 0)::int as count from api_key_audit
        where user_id = $1 and at >= $2 and outcome = 'rate_limited'`,
      [userId, since],
    );
    return row!.count;
  }

  /** Makes the tables of this month and the next, so that no entry waits for one. */
  async makeMonths(now: Date): Promise<void> {
    await this.makeMonth(monthOf(now));
    await this.makeMonth(monthOf(now, 1));
  }

  /** Drops the tables of months that ended before the last `monthsKept` began, and returns their names. */
  async dropMonths(now: Date, monthsKept: number): Promise<string[]> {
    const oldest = tableOf(monthOf(now, -monthsKept));
    return this.db.transaction(async (tx) => {
      await tx.affected(`set local lock_timeout = '${lockTimeout}'`);
      const rows = await tx.rows<{ name: string }>(
        `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'api_key_audit'::regclass and c.relname < $1 order by c.relname`,
        [oldest],
      );
      for (const { name } of rows) await tx.affected(`drop table if exists "${name}"`);
      return rows.map(({ name }) => name);
    });
  }

  private async makeMonth(month: string, queries: Queries = this.db): Promise<void> {
    if (this.months.has(month)) return;
    await queries.rows('select make_api_key_audit_month($1::date)', [month]);
    // A transaction may still roll back, and its table with it.
    if (queries === this.db) this.months.add(month);
  }
}

async function number(queries: Queries, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = await queries.rows<{ id: string }>(
    `select nextval('api_key_audit_number')::text as id from generate_series(1, $1::int)`,
    [entries.length],
  );
  for (const [index, { id }] of rows.entries()) entries[index]!.id = id;
}

/** First day of the month, or of one some months later, `YYYY-MM-DD`. */
function monthOf(instant: Date, monthsLater = 0): string {
  return new Date(Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth() + monthsLater, 1))
    .toISOString()
    .slice(0, 10);
}

/** As `make_api_key_audit_month` names it; the names sort like the months. */
const tableOf = (month: string): string => `api_key_audit_${month.slice(0, 7).replace('-', '_')}`;
