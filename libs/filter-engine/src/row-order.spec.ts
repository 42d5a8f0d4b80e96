import { describe, expect, it } from '@jest/globals';
import type { FilterRecord } from '@tradewind/filters';
import type { SortKey } from './filter-engine.port.js';
import { firstInOrder } from './row-order.js';

const key = (column: string, type: SortKey['type'], direction: SortKey['direction'] = 'asc'): SortKey => ({
  column,
  type,
  direction,
  isNullable: true,
});
const byId = key('id', 'bigint');
const rowsOf = (column: string, values: readonly unknown[]) =>
  values.map((value, place): [bigint, FilterRecord] => [BigInt(place + 1), { [column]: value }]);

describe('the order of rows in memory', () => {
  it('has nulls last in both directions, and equal values by id', () => {
    const rows = rowsOf('amount', ['9007199254740993', null, '5', '5', null]);
    const all = { after: null, limit: 10 };
    expect(firstInOrder(rows, { ...all, sort: [key('amount', 'bigint'), byId] })).toEqual([3n, 4n, 1n, 2n, 5n]);
    const down = [key('amount', 'bigint', 'desc'), key('id', 'bigint', 'desc')];
    expect(firstInOrder(rows, { ...all, sort: down })).toEqual([1n, 4n, 3n, 5n, 2n]);
  });

  it('has texts in the order of their code points', () => {
    const rows = rowsOf('name', ['\u{1F600}', '\uFF5E', 'Z', 'a', 'Za', 'é']);
    const sort = [key('name', 'text'), byId];
    expect(firstInOrder(rows, { sort, after: null, limit: 10 })).toEqual([3n, 5n, 4n, 6n, 2n, 1n]);
  });

  it('gives the first rows behind a cursor, whether or not its row is there', () => {
    const rows = rowsOf('day', ['2026-03-01', '2026-01-01', '2026-02-01', null, '2026-04-01']);
    const sort = [key('day', 'date'), byId];
    expect(firstInOrder(rows, { sort, after: ['2026-01-15', '9'], limit: 2 })).toEqual([3n, 1n]);
    expect(firstInOrder(rows, { sort, after: ['2026-04-01', '5'], limit: 2 })).toEqual([4n]);
    expect(firstInOrder(rows, { sort, after: [null, '4'], limit: 2 })).toEqual([]);
  });

  it('compares instants, as PostgreSQL gives them and as a cursor has them', () => {
    const rows = rowsOf('created_at', [new Date('2026-01-01T00:00:00.002Z'), new Date('2026-01-01T00:00:00.001Z')]);
    const sort = [key('created_at', 'timestamptz'), byId];
    expect(firstInOrder(rows, { sort, after: ['2026-01-01T00:00:00.001Z', '2'], limit: 2 })).toEqual([1n]);
  });
});
