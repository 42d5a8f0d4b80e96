import { describe, expect, it } from '@jest/globals';
import type { FilterRecord, NormalisedFilter } from '@tradewind/filters';
import { ChangedRows, matchingIds } from './changed-rows.js';

const large: NormalisedFilter = {
  entity: 'company',
  today: '2026-11-23',
  conditions: [
    {
      field: 'numberOfEmployees',
      op: 'inRanges',
      column: 'number_of_employees',
      type: 'bigint',
      ranges: [{ min: { value: 100, isInclusive: true } }],
      isNegated: false,
    },
  ],
};

describe('the rows that changed', () => {
  it('hold the last row of each id, and match by it', () => {
    const changed = new ChangedRows(5n);
    changed.apply(6n, [
      [30n, { number_of_employees: '500' }],
      [10n, { number_of_employees: '500' }],
      [20n, { number_of_employees: '5' }],
    ]);
    expect(changed.matching(large)).toEqual([10n, 30n]);
    changed.apply(7n, [
      [10n, { number_of_employees: '5' }],
      [20n, { number_of_employees: '500' }],
      [30n, null],
    ]);
    expect(changed.matching(large)).toEqual([20n]);
    expect({ since: changed.since, version: changed.version, ids: changed.ids }).toEqual({
      since: 5n,
      version: 7n,
      ids: [10n, 20n, 30n],
    });
  });

  it('keep their ids until another row changes', () => {
    const changed = new ChangedRows(1n);
    changed.apply(2n, [[1n, {}]]);
    const before = changed.ids;
    changed.apply(3n, [[1n, null]]);
    expect(changed.ids).toBe(before);
    changed.apply(4n, [[2n, {}]]);
    expect(changed.ids).toEqual([1n, 2n]);
  });

  it('forget what the engine has, and nothing that changed again later', () => {
    const changed = new ChangedRows(1n);
    changed.apply(2n, [
      [1n, {}],
      [2n, {}],
    ]);
    changed.apply(3n, [[2n, {}]]);
    changed.forget(2n);
    expect({ since: changed.since, version: changed.version, ids: changed.ids }).toEqual({
      since: 2n,
      version: 3n,
      ids: [2n],
    });
  });

  it('are not compared with a filter that is too large for their number', () => {
    const changed = new ChangedRows(5n);
    const words = Array.from({ length: 100 }, (_, place) => `word${place}`);
    changed.apply(
      6n,
      Array.from({ length: 1_000 }, (_, id) => [BigInt(id), { search: words }]),
    );
    const asking = (count: number): NormalisedFilter => ({
      entity: 'company',
      today: '2026-11-23',
      conditions: [
        {
          field: 'keywords',
          op: 'words',
          column: 'search',
          phrases: Array.from({ length: count }, (_, place) => [`word${place}`]),
          match: 'any',
          isNegated: false,
        },
      ],
    });
    expect(changed.matching(asking(10))).toHaveLength(1_000);
    expect(changed.matching(asking(500))).toBe('too_costly');
    changed.apply(
      7n,
      Array.from({ length: 990 }, (_, id) => [BigInt(id), null]),
    );
    expect(changed.matching(asking(500))).toHaveLength(10);
  });

  it('and the rows of a page are not compared with more values than a query may take', () => {
    const words = Array.from({ length: 300 }, (_, place) => `w${place}`);
    const record: FilterRecord = { search: words };
    const rows = Array.from({ length: 50 }, (_, place) => [BigInt(50 - place), record] as const);
    const without = (count: number): NormalisedFilter => ({
      entity: 'company',
      today: '2026-11-28',
      conditions: [
        {
          field: 'keywords',
          op: 'words',
          column: 'search',
          phrases: Array.from({ length: count }, (_, place) => [`x${place}`]),
          match: 'any',
          isNegated: true,
        },
      ],
    });
    expect(matchingIds(rows, without(300))).toEqual(rows.map(([id]) => id));
    expect(matchingIds(rows, without(500))).toBe('too_costly');
  });
});
