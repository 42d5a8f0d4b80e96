// The index against the evaluation in memory, which is the oracle of every implementation of a filter. No database
// here.
import { describe, expect, it } from '@jest/globals';
import { type Condition, evaluateFilter, type FilterRecord, type NormalisedFilter } from '@tradewind/filters';
import fc from 'fast-check';
import { generatedIds, generatedRecord, structuredFilter } from '../../test/support/generated-companies.js';
import { builtFrom } from '../../test/support/built-index.js';
import { isAnswerable } from './bitset-index.js';
import { companyColumns } from './indexed-columns.js';
import { IndexTooLarge } from './memory-budget.js';
import { VersionedIndex } from './versioned-index.js';

type Row = readonly [id: bigint, record: FilterRecord];

function sampleRows(count: number, seed: number): Row[] {
  const records = fc.sample(generatedRecord, { numRuns: count, seed });
  return generatedIds(count).map((id, index) => [id, records[index]!]);
}

function expected(rows: readonly Row[], filter: NormalisedFilter, after: bigint | null, limit: number) {
  const ids = rows.filter(([, record]) => evaluateFilter(filter, record)).map(([id]) => id);
  return { count: ids.length, ids: ids.filter((id) => after === null || id > after).slice(0, limit) };
}

/** Page and count, in either order, which must not matter. */
function answerOf(
  index: VersionedIndex,
  filter: NormalisedFilter,
  key: string,
  page: { after: bigint | null; limit: number; isCountedFirst?: boolean },
): { count: number; ids: bigint[] } {
  const early = page.isCountedFirst ? index.count(filter, key) : undefined;
  const ids = index.page(filter, key, page);
  return { count: early ?? index.count(filter, key), ids };
}

describe('the index in memory', () => {
  const seed = 20_261_121;
  const rows = sampleRows(1200, seed);
  const filters = fc.sample(structuredFilter, { numRuns: 600, seed });

  it('gives the same count and pages as the evaluation of each row', () => {
    const index = new VersionedIndex(builtFrom(rows), 1n);
    let matches = 0;
    for (const [number, filter] of filters.entries()) {
      expect(isAnswerable(filter, companyColumns)).toBe(true);
      const after = number % 3 === 0 ? null : rows[(number * 37) % rows.length]![0] - BigInt(number % 2);
      const limit = 1 + (number % 51);
      const answer = answerOf(index, filter, String(number), { after, limit, isCountedFirst: number % 2 === 0 });
      expect({ filter, answer }).toEqual({ filter, answer: expected(rows, filter, after, limit) });
      matches += answer.count;
    }
    expect(matches).toBeGreaterThan(filters.length * 10);
  });

  it('gives the same answers where a value has few rows among many', () => {
    const rareIndustry: Condition = {
      field: 'industry',
      op: 'in',
      column: 'industry_id',
      type: 'bigint',
      values: [415],
      isNegated: false,
    };
    const many = generatedIds(6_400).map((id, place): Row => {
      const record = rows[(place * 7) % rows.length]![1];
      return [id, place % 400 === 0 ? { ...record, industry_id: 415 } : record];
    });
    const index = new VersionedIndex(builtFrom(many), 1n);
    for (const [number, filter] of filters.slice(0, 20).entries()) {
      for (const extra of [[], [rareIndustry]]) {
        const narrowed = { ...filter, conditions: [...filter.conditions, ...extra] };
        const answer = answerOf(index, narrowed, `${number} ${extra.length}`, { after: null, limit: 30 });
        expect({ narrowed, answer }).toEqual({ narrowed, answer: expected(many, narrowed, null, 30) });
      }
    }
  });

  // Blocks of 131,072 rows; ids in equal steps, so that an id shows its position.
  it('computes only the blocks that a page needs, and all for the count, in any order of requests', () => {
    const rowCount = 140_000;
    const placeOf = (place: number) => (place * 7) % rows.length;
    const many = Array.from({ length: rowCount }, (_, place): Row => [BigInt(place + 1), rows[placeOf(place)]![1]]);
    const index = new VersionedIndex(builtFrom(many), 1n);
    const oracle = filters.slice(0, 40).map((filter) => {
      const isIn = rows.map(([, record]) => evaluateFilter(filter, record));
      const ids = many.filter((_, place) => isIn[placeOf(place)]).map(([id]) => id);
      return { count: ids.length, ids };
    });
    const asked = filters.slice(0, 40).flatMap((filter, number) => [0, 1, 2].map((turn) => ({ filter, number, turn })));
    // In parallel: pages of the first block and of the second, and counts.
    for (const { filter, number, turn } of fc.sample(fc.shuffledSubarray(asked, { minLength: asked.length }), {
      numRuns: 1,
      seed,
    })[0]!) {
      const { ids, count } = oracle[number]!;
      if (turn === 0) expect(index.count(filter, String(number))).toBe(count);
      else {
        const after = BigInt(turn === 1 ? 100_000 : 135_000);
        const page = index.page(filter, String(number), { after, limit: 20 });
        const first = ids.findIndex((id) => id > after);
        expect({ filter, page }).toEqual({ filter, page: first < 0 ? [] : ids.slice(first, first + 20) });
      }
    }
  });

  it('answers with the changed rows after each change, even in an index that was empty', () => {
    for (const start of [rows.slice(0, 700), []]) {
      const current = new Map(start);
      const index = new VersionedIndex(builtFrom(start), 7n);
      for (let round = 0; round < 8; round++) {
        // Updates, deletions and insertions, some of them of rows that changed before.
        const changes = rows
          .filter((_, place) => (place * 7 + round * 3) % 97 < 3)
          .map(([id], place): [bigint, FilterRecord | null] => [
            id,
            place % 4 === 0 ? null : rows[(place * 31 + round) % rows.length]![1],
          ]);
        for (const [id, record] of changes) {
          if (record) current.set(id, record);
          else current.delete(id);
        }
        index.apply(8n + BigInt(round), changes);
        const now = [...current].sort(([a], [b]) => (a < b ? -1 : 1));
        for (const [number, filter] of filters.slice(round * 40, round * 40 + 40).entries()) {
          const after = number % 2 === 0 ? null : rows[number * 11]![0];
          expect(answerOf(index, filter, String(number), { after, limit: 20 })).toEqual(
            expected(now, filter, after, 20),
          );
        }
      }
      expect(index.version).toBe(15n);
    }
  });

  it('reads all pages without a gap or a repeat', () => {
    const index = new VersionedIndex(builtFrom(rows), 1n);
    const everything: NormalisedFilter = { entity: 'company', today: '2026-11-22', conditions: [] };
    const seen: bigint[] = [];
    let after: bigint | null = null;
    do {
      const ids = index.page(everything, '', { after, limit: 101 });
      seen.push(...ids);
      after = ids.at(-1) ?? null;
    } while (after !== null);
    expect(seen).toEqual(rows.map(([id]) => id));
  });

  it('leaves text and other entities to the database', () => {
    const words = {
      field: 'keywords',
      op: 'words',
      column: 'search',
      phrases: [['a']],
      match: 'any',
      isNegated: false,
    } as const;
    expect(isAnswerable({ entity: 'company', today: '', conditions: [words] }, companyColumns)).toBe(false);
    expect(isAnswerable({ entity: 'person', today: '', conditions: [] }, companyColumns)).toBe(false);
  });

  it('stops the build when it would take too much memory', () => {
    expect(() => builtFrom(rows, 40_000)).toThrow(IndexTooLarge);
    expect(() => builtFrom(rows, 10_000_000)).not.toThrow();
  });
});
