// Exact counts, kept under the filter's meaning and the data version they were counted at. One look at the version costs
// a tenth of a millisecond; a count that everybody asks for is made once.
import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataStore } from '../data-store/data-store.js';
import type { Condition } from './page-query.js';

// About 2 MB: an entry has the same size however long its filter is.
const entriesMax = 10_000;

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
  private readonly counts = new Map<string, Count>();
  private readonly running = new Map<string, Promise<Count>>();

  constructor(private readonly dataStore: DataStore) {}

  async count(request: CountRequest): Promise<Count> {
    const [row] = await this.dataStore.cells({ text: `select ${versionOf(request)}`, values: [] });
    const version = row![0]!;
    const cacheKey = hash('sha256', `${request.table} ${request.key}`, 'base64url');
    const known = this.counts.get(cacheKey);
    if (known?.version === version) {
      // Most recently used last.
      this.counts.delete(cacheKey);
      this.counts.set(cacheKey, known);
      return known;
    }
    const runningKey = `${version} ${cacheKey}`;
    const started = this.running.get(runningKey) ?? this.start(runningKey, cacheKey, request);
    return started;
  }

  private start(runningKey: string, cacheKey: string, request: CountRequest): Promise<Count> {
    const counting = this.dataStore
      // One snapshot sees both, so the count belongs to exactly this version.
      .query<{ count: string; version: string }>({
        text: `select (select count(*) from ${request.table} t where ${request.where.sql}) as count, ${versionOf(request)} as version`,
        values: request.where.params,
      })
      .then(([row]) => {
        const count = { count: Number(row!.count), version: row!.version };
        this.counts.delete(cacheKey);
        if (this.counts.size >= entriesMax) this.counts.delete(this.counts.keys().next().value!);
        this.counts.set(cacheKey, count);
        return count;
      })
      .finally(() => this.running.delete(runningKey));
    this.running.set(runningKey, counting);
    return counting;
  }
}

/** SQL of the version of everything that the count reads; table names are the program's own. */
function versionOf({ table, alsoReads = [] }: CountRequest): string {
  const tables = [table, ...alsoReads].map((name) => `'${name}'`).join(', ');
  return `(select string_agg(version::text, '.' order by entity) from data_version where entity in (${tables}))`;
}
