// Exact counts, kept under the meaning of the filter and the version of the data. Reading the version takes a tenth of
// a millisecond; a count that many ask for is made once.
import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataStore } from '../data-store/data-store.js';
import type { Condition } from './page-query.js';

/** About 2 MB: an entry has the same size however long its filter is. */
const entriesMax = 10_000;

/** Below this, any count takes PostgreSQL a few dozen milliseconds. */
const rowsOfSlowCount = 200_000;

export interface CountRequest {
  table: string;
  where: Condition;
  /** The filter's meaning, with everything that the count depends on. */
  key: string;
  /** Further tables that the filter reads. */
  alsoReads?: readonly string[];
}

export interface Count {
  count: number;
  /** Version of the data that the count is exact for. */
  version: string;
}

@Injectable()
export class CountCache {
  private readonly counts: LRUCache<string, Count, CountRequest & { tableRows: number }>;

  constructor(private readonly dataStore: DataStore) {
    this.counts = new LRUCache({
      max: entriesMax,
      // A count that leaves the cache before it is made is still the answer for those who asked.
      ignoreFetchAbort: true,
      fetchMethod: (_key, _stale, { context }) => this.read(context),
    });
  }

  /** Requests for the same count at the same time share one statement. */
  async count(request: CountRequest): Promise<Count> {
    const text = `select ${versionOf(request)} as version, ${rowsOf(request)} as rows`;
    const [row] = await this.dataStore.query<{ version: string; rows: string }>({ text, values: [] });
    const key = hash('sha256', `${row!.version} ${request.table} ${request.key}`, 'base64url');
    const tableRows = Number(row!.rows);
    return this.counts.forceFetch(key, { context: { ...request, tableRows } });
  }

  /** One snapshot sees the records and their version. */
  private async read(request: CountRequest & { tableRows: number }): Promise<Count> {
    const { table, where, key, tableRows } = request;
    const [row] = await this.dataStore.query<{ count: string; version: string }>({
      text: `select (select count(*) from ${table} t where ${where.sql}) as count, ${versionOf(request)} as version`,
      values: where.params,
      caller: { meaning: `count ${table} ${key}`, isExpectedSlow: tableRows >= rowsOfSlowCount },
    });
    return { count: Number(row!.count), version: row!.version };
  }
}

/** SQL of the version of everything that is read; table names are the program's own. */
export function versionOf({ table, alsoReads = [] }: Pick<CountRequest, 'table' | 'alsoReads'>): string {
  const tables = [table, ...alsoReads].map((name) => `'${name}'`).join(', ');
  return `(select string_agg(version::text, '.' order by entity) from data_version where entity in (${tables}))`;
}

/** SQL of about how many rows the largest of these tables has. */
function rowsOf({ table, alsoReads = [] }: CountRequest): string {
  const tables = [table, ...alsoReads].map((name) => `'${name}'::regclass`).join(', ');
  return `(select max(reltuples)::bigint from pg_class where oid in (${tables}))`;
}
