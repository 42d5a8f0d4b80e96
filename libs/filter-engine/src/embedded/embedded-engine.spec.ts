// However a query is made, the engine spends a bounded amount of work on it, and says so instead of an answer.
import { beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalKey, type Condition, type NormalisedFilter } from '@tradewind/filters';
import type { FilterQuery, SortKey } from '../filter-engine.port.js';
import { columnBuilder } from './column-builders.js';
import type { ColumnParts } from './column-index.js';
import { indexedColumns, isText } from '../indexed-columns.js';
import { EmbeddedEngine } from './embedded-engine.js';
import { MemoryBudget } from './memory-budget.js';
import { stepsMax } from './work-limit.js';

/** Words of which each is in almost as many rows as a list may have before it becomes bits. */
const wordCount = 100;
const byId: SortKey = { column: 'id', type: 'bigint', direction: 'asc', isNullable: false };

/** Of deals. Every one has three of the words in its title, two buyers, and dates that rise with the id. */
function builtOf(rowCount: number) {
  const budget = new MemoryBudget(Number.MAX_SAFE_INTEGER);
  const columns: Record<string, ColumnParts> = {};
  for (const column of indexedColumns.deal) {
    const builder = columnBuilder(column, rowCount, budget);
    const add = (position: number, value: string | number) => {
      const bytes = isText(column) ? Buffer.from(String(value)) : Buffer.alloc(8);
      if (!isText(column)) bytes.writeBigInt64BE(BigInt(value));
      builder.add(bytes, 0, bytes.length, position);
    };
    for (let position = 0; position < rowCount; position++) {
      if (column.column === 'title_search')
        for (const factor of [1, 7, 31]) add(position, `w${(position * factor) % wordCount}`);
      else if (column.shape === 'list') for (const id of [1, 2]) add(position, id + (position % 50_000));
      else if (column.column === 'announced_date') add(position, position % 20_000);
      else if (column.column === 'start_date') add(position, position);
    }
    columns[column.column] = builder.finish();
  }
  const ids = new BigInt64Array(rowCount).map((_, position) => BigInt(position + 1));
  return {
    entity: 'deal' as const,
    parts: { ids, columns },
    version: '1',
    rowCount,
    bytes: budget.bytes,
    sortsTextsByBytes: true,
  };
}

const words = (phrases: readonly (readonly string[])[], rest: object = {}): Condition => ({
  field: 'title',
  op: 'words',
  column: 'title_search',
  phrases,
  match: 'any',
  isNegated: false,
  ...rest,
});
const times = <T>(count: number, make: (place: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const pairs = (count: number) => times(count, (place) => [`w${place % wordCount}`, `w${(place * 7 + 1) % wordCount}`]);
const startsFrom = (day: string): Condition => ({
  field: 'startDate',
  op: 'inRanges',
  column: 'start_date',
  type: 'date',
  ranges: [{ min: { value: day, isInclusive: true } }],
  isNegated: false,
});
const isActive: Condition = {
  field: 'status',
  op: 'status',
  startColumn: 'start_date',
  endColumn: 'end_date',
  statuses: ['ACTIVE'],
};
const anyBuyer: Condition = {
  field: 'buyer',
  op: 'hasElementIn',
  column: 'buyer_company_ids',
  type: 'bigint',
  range: { min: { value: 1, isInclusive: true } },
};

function queryOf(conditions: readonly Condition[], options: Partial<FilterQuery> = {}): FilterQuery {
  const filter: NormalisedFilter = { entity: 'deal', today: '2026-11-24', conditions };
  return {
    filter,
    key: canonicalKey(filter),
    sort: [byId],
    after: null,
    limit: 51,
    isCounted: true,
    since: 0n,
    upTo: 1n,
    except: [],
    ...options,
  };
}

describe('the changes that the engine has', () => {
  it('are each record once, however often it changed', () => {
    const engine = new EmbeddedEngine();
    const none = { ...builtOf(0), version: '9' };
    engine.use({ ...none, version: '1' });
    const change = (upTo: bigint, ids: bigint[]) =>
      engine.useChanges(none, [...engine.changedIds('deal'), { ids, upTo }]);
    change(2n, [1n, 2n, 3n]);
    change(3n, [2n, 3n]);
    change(4n, [3n, 4n]);
    const listed = engine.changedIds('deal').flatMap(({ ids, upTo }) => ids.map((id) => [id, upTo]));
    expect(listed.sort(([a], [b]) => Number(a! - b!))).toEqual([
      [1n, 2n],
      [2n, 3n],
      [3n, 4n],
      [4n, 4n],
    ]);
    expect(engine.version('deal')).toBe(4n);
    // A newer index of all rows leaves those that changed later.
    engine.use({ ...none, version: '3' });
    expect(engine.changedIds('deal')).toEqual([{ ids: [3n, 4n], upTo: 4n }]);
  });
});

describe('one query', () => {
  let engine: EmbeddedEngine;
  const built = builtOf(100_000);
  beforeAll(() => {
    engine = new EmbeddedEngine();
    engine.use(built);
  });

  const search = async (query: FilterQuery, of = engine) => {
    expect(of.canAnswer(query)).toBe(true);
    return of.search(query);
  };

  it.each<[string, Condition[]]>([
    ['phrases of words that many rows have', [isActive, words(pairs(999))]],
    ['words without an end', times(100, () => words([['w']], { match: 'all', isUnfinished: true }))],
    ['intervals of lists', times(100, () => anyBuyer)],
    ['conditions, each of them simple', times(1_000, () => isActive)],
  ])('is not answered with too many %s, and the next one is answered at once', async (_name, conditions) => {
    const query = queryOf(conditions);
    expect(await search(query)).toBe('too_costly');
    // What was too costly is known to be.
    const startMs = performance.now();
    for (let time = 0; time < 100; time++) expect(await search(query)).toBe('too_costly');
    expect((performance.now() - startMs) / 100).toBeLessThan(5);
    expect(await search(queryOf(conditions.slice(0, 1)))).toMatchObject({ version: 1n });
  });

  it('is refused before any work when it has too many values, too large a page, or conditions within conditions', () => {
    const isRefused = (query: FilterQuery) => !engine.canAnswer(query);
    expect(isRefused(queryOf([words(pairs(1_001))]))).toBe(true);
    expect(isRefused(queryOf([], { limit: 5_001 }))).toBe(true);
    expect(isRefused(queryOf([], { sort: times(21, () => byId) }))).toBe(true);
    let nested: Condition = startsFrom('1970-01-01');
    for (let level = 0; level < 2; level++) nested = { field: '', op: 'either', conditions: [nested] };
    expect(isRefused(queryOf([nested]))).toBe(true);
  });

  it('that sorts may compare every row that matches, and no more than its bound', async () => {
    const byDate: SortKey = { column: 'announced_date', type: 'date', direction: 'asc', isNullable: true };
    // These deals are the last in the order, so a walk from its beginning would visit all others.
    const day = new Date(95_000 * 86_400_000).toISOString().slice(0, 10);
    const late = queryOf([startsFrom(day)], { sort: [byDate, byId] });
    const ids = times(51, (place) => BigInt(95_001 + place));
    expect(await search(late)).toEqual({ ids, count: 5_000, version: 1n });
    const strict = new EmbeddedEngine({ stepsMax: stepsMax / 1_000 });
    strict.use(built);
    expect(await search(late, strict)).toBe('too_costly');
  });
});
