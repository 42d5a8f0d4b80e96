// The index against the evaluation in memory, which is the oracle of every implementation of a filter. No database here.
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

describe('the index in memory', () => {
  const seed = 20_261_121;
  const rows = sampleRows(1200, seed);
  const filters = fc.sample(structuredFilter, { numRuns: 600, seed });

  it('answers count and every page as the evaluation of each row does', () => {
    const index = new VersionedIndex(builtFrom(rows), 1n);
    let matches = 0;
    for (const [number, filter] of filters.entries()) {
      expect(isAnswerable(filter, companyColumns)).toBe(true);
      const after = number % 3 === 0 ? null : rows[(number * 37) % rows.length]![0] - BigInt(number % 2);
      const limit = 1 + (number % 51);
      const answer = index.answer(filter, String(number), { after, limit });
      expect({ filter, answer }).toEqual({ filter, answer: expected(rows, filter, after, limit) });
      matches += answer.count;
    }
    expect(matches).toBeGreaterThan(filters.length * 10);
  });

  it('answers alike where the rows of a value are few among many', () => {
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
        const answer = index.answer(narrowed, `${number} ${extra.length}`, { after: null, limit: 30 });
        expect({ narrowed, answer }).toEqual({ narrowed, answer: expected(many, narrowed, null, 30) });
      }
    }
  });

  it('answers for the changed rows after each change, and for an index that was empty', () => {
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
          expect(index.answer(filter, String(number), { after, limit: 20 })).toEqual(expected(now, filter, after, 20));
        }
      }
      expect(index.version).toBe(15n);
    }
  });

  it('reads on through all pages without a gap or a repeat', () => {
    const index = new VersionedIndex(builtFrom(rows), 1n);
    const everything: NormalisedFilter = { entity: 'company', today: '2026-11-22', conditions: [] };
    const seen: bigint[] = [];
    let after: bigint | null = null;
    do {
      const { ids } = index.answer(everything, '', { after, limit: 101 });
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

  it('takes no more memory than it may: the build stops instead', () => {
    expect(() => builtFrom(rows, 40_000)).toThrow(IndexTooLarge);
    expect(() => builtFrom(rows, 10_000_000)).not.toThrow();
  });
});
