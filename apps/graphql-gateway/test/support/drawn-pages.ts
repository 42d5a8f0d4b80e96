// Random filters and orders as requests for pages, and what PostgreSQL answers to them while records are written. The
// tests of both engines use them.
import { expect } from '@jest/globals';
import type { Entity, SortKey } from '@tradewind/filter-engine';
import { canonicalKey, compileFilter, type FilterRecord, type NormalisedFilter } from '@tradewind/filters';
import fc from 'fast-check';
import { orderKeys, pageColumns } from '../../src/connections/page-order.js';
import { type PageRead, PageReader, type PageRequest } from '../../src/connections/page-reader.port.js';
import { PostgresPageReader } from '../../src/connections/page-reader.postgres.js';
import type { TestGateway } from './gateway.js';

interface DrawnQueries {
  drawnRecord: (entity: Entity) => fc.Arbitrary<FilterRecord>;
  drawnFilter: (entity: Entity) => fc.Arbitrary<NormalisedFilter>;
  drawnSort: (entity: Entity) => fc.Arbitrary<SortKey[]>;
  drawnContacts: fc.Arbitrary<DrawnContacts>;
}

interface DrawnContacts {
  filter: NormalisedFilter;
  person?: NormalisedFilter;
  where: PageRequest['where'];
}

// Those of the engine's own tests, which are loaded by their path because a lib shows only its index to others.
const drawnQueriesPath: string = new URL('../../../../libs/filter-engine/test/drawn-queries.ts', import.meta.url)
  .pathname;
export const { drawnRecord, drawnFilter, drawnSort, drawnContacts } = (await import(drawnQueriesPath)) as DrawnQueries;

/** A first page of ids with its count. */
export function requestFor(filter: NormalisedFilter, options: Partial<PageRequest> = {}): PageRequest {
  const { sql, params } = compileFilter(filter);
  return {
    table: filter.entity,
    columns: ['id'],
    where: { sql, params },
    filter,
    countKey: canonicalKey(filter),
    sort: [],
    after: null,
    limit: 11,
    isCounted: true,
    ...options,
  };
}

export async function versionOf({ sql }: TestGateway, entity: Entity): Promise<string> {
  const { rows } = await sql.query<{ version: string }>('select version from data_version where entity = $1', [entity]);
  return rows[0]!.version;
}

interface Comparison {
  gateway: TestGateway;
  entity: Entity;
  seed: number;
  filterCount: number;
  /** Records of the table, which is empty before. */
  rowCount: number;
  /** Resolves when the engine answers for the entity. */
  untilReady: () => Promise<void>;
}

/**
 * Asks for two pages of each filter, in an order of its own, while 100 records are written a second.
 * @returns how many pages were compared, and how many records the filters matched
 * @throws when a page or a count is not that of PostgreSQL at the same version
 */
export async function compareUnderWrites(comparison: Comparison): Promise<{ compared: number; matches: number }> {
  const { gateway, entity, seed, filterCount, rowCount, untilReady } = comparison;
  const { sql } = gateway;
  const records = fc.sample(drawnRecord(entity), { seed, numRuns: 2_000 });
  const columns = Object.keys(records[0]!);
  const listed = ['id', ...columns].join(', ');
  const written = (ids: readonly number[], round: number) =>
    JSON.stringify(ids.map((id) => ({ ...records[(id + 7 * round) % records.length], id })));
  const insertSql = `insert into ${entity} (${listed}) select ${listed} from json_populate_recordset(null::${entity}, $1::json)`;
  const assigned = columns.map((column) => `${column} = r.${column}`).join(', ');
  const numbered = (first: number, count: number) => Array.from({ length: count }, (_, place) => first + place);
  await sql.query(insertSql, [written(numbered(1, rowCount), 0)]);
  await untilReady();
  let isDone = false;
  let isHeld = false;
  const write = async () => {
    const startedMs = performance.now();
    // Ten records in each tenth of a second: three are new, three go, and four change. Their number stays the same.
    for (let rounds = 0; !isDone; rounds++) {
      const firstId = 1 + 3 * rounds;
      const changed = numbered(0, 4).map((place) => firstId + 3 + ((rounds * 37 + place * 11) % (rowCount - 3)));
      const client = await sql.connect();
      let isCommitted = false;
      try {
        await client.query('begin');
        await client.query(`delete from ${entity} where id = any($1::bigint[])`, [numbered(firstId, 3)]);
        await client.query(insertSql, [written(numbered(firstId + rowCount, 3), rounds)]);
        await client.query(
          `update ${entity} t set ${assigned} from json_populate_recordset(null::${entity}, $1::json) r where t.id = r.id`,
          [written([...new Set(changed)], rounds + 1)],
        );
        await client.query('commit');
        isCommitted = true;
      } finally {
        // An open transaction ends with its connection.
        client.release(!isCommitted);
      }
      do {
        const aheadMs = startedMs + 100 * (rounds + 1) - performance.now();
        await new Promise((resolve) => setTimeout(resolve, Math.max(aheadMs, 1)));
      } while (isHeld && !isDone);
    }
  };
  const { app } = gateway.replicas[0]!;
  const compare = async () => {
    let [compared, matches] = [0, 0];
    const filters = fc.sample(drawnFilter(entity), { seed, numRuns: filterCount });
    const sorts = fc.sample(drawnSort(entity), { seed, numRuns: filterCount });
    for (const [number, filter] of filters.entries()) {
      // An order by id alone is that without sort keys, or a key of its own.
      const keys = sorts[number]!;
      const sort = keys.at(-1)!.direction === 'asc' ? keys.slice(0, -1) : keys;
      const request = requestFor(filter, { sort, limit: 1 + (number % 51) });
      let after: string[] | null = null;
      for (let page = 0; page < 2; page++) {
        let ours: PageRead;
        let theirs: PageRead;
        // Rows and count of PostgreSQL are two statements: they are of one version if nothing changed meanwhile.
        for (let attempt = 0, isSame = false; !isSame; attempt++) {
          // A slow machine may never finish a comparison between two writes.
          isHeld = attempt > 10;
          const before = await versionOf(gateway, entity);
          theirs = await app.get(PostgresPageReader).read({ ...request, after });
          ours = await app.get(PageReader).read({ ...request, after });
          isSame =
            theirs.count!.version === before &&
            ours.count!.version === before &&
            (await versionOf(gateway, entity)) === before;
        }
        compared += 1;
        matches += theirs!.count!.count;
        const byIndex = ours!.rows.map((row) => (row.length > keys.length ? row.slice(0, keys.length) : row));
        // The message shows the filter when they differ.
        expect({ filter, sort, after, count: ours!.count, rows: byIndex }).toEqual({
          ...{ filter, sort, after },
          ...{ count: theirs!.count, rows: theirs!.rows },
        });
        const last = byIndex.at(-1);
        if (!last) break;
        const read = pageColumns(['id'], sort);
        after = orderKeys(sort).map(({ column }) => {
          const value = last[read.indexOf(column)];
          return value instanceof Date ? value.toISOString() : (value as string);
        });
      }
    }
    return { compared, matches };
  };
  const writing = write();
  try {
    return await compare();
  } finally {
    isDone = true;
    await writing;
  }
}
