// The compiled SQL on PostgreSQL and the evaluation in memory agree, on the gateway's real tables. A case is one filter
// against one record. FILTER_CASES (default 120,000) sets how many; FILTER_SEED repeats a run that failed.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { filterOf, names, objectOf, recordOf, today } from '../test/arbitraries.js';
import { createGatewayDatabase, type GatewayDatabase } from '../test/gateway-tables.js';
import {
  canonicalKey,
  compileFilter,
  evaluateFilter,
  type FilterEntity,
  filterFields,
  isContradictory,
  type NormalisedFilter,
  parseFilters,
} from './index.js';

const casesWanted = Number(process.env['FILTER_CASES'] ?? 120_000);
const seed = Number(process.env['FILTER_SEED'] ?? Date.now() % 1_000_000_000);
const recordsPerRound = 250;
const filtersPerRound = 80;
const filtersPerStatement = 40;
const entities: readonly FilterEntity[] = ['company', 'person', 'deal'];

describe(`SQL and evaluation in memory (FILTER_SEED=${seed})`, () => {
  let database: GatewayDatabase;

  beforeAll(async () => {
    database = await createGatewayDatabase();
  });
  afterAll(() => database.drop());

  /** Ids (positions from 1) of the records that satisfy each filter, according to the database. */
  async function select(entity: FilterEntity, filters: readonly NormalisedFilter[]): Promise<number[][]> {
    const found: number[][] = [];
    for (let start = 0; start < filters.length; start += filtersPerStatement) {
      const params: unknown[] = [];
      const parts = filters.slice(start, start + filtersPerStatement).map((filter, index) => {
        const compiled = compileFilter(filter, { firstParameter: params.length + 1 });
        params.push(...compiled.params);
        return `select ${index} as n, array(select t.id::int from ${entity} t where ${compiled.sql} order by t.id) as ids`;
      });
      const { rows } = await database.client.query<{ ids: number[] }>(
        `${parts.join(' union all ')} order by n`,
        params,
      );
      found.push(...rows.map(({ ids }) => ids));
    }
    return found;
  }

  it.each(entities)(
    'give the same records for every generated case of %s',
    async (entity) => {
      const rounds = Math.ceil(casesWanted / entities.length / (recordsPerRound * filtersPerRound));
      let matches = 0;
      let contradictions = 0;
      for (let round = 0; round < rounds; round++) {
        const numbers = { seed: seed + round };
        // The id is a filter field of deals; the database numbers the records from 1.
        const records = fc.sample(recordOf(entity), { ...numbers, numRuns: recordsPerRound });
        const numbered = records.map((record, index) => ({ ...record, id: index + 1 }));
        await database.store(entity, records);
        const sent = fc.sample(filterOf(entity), { ...numbers, numRuns: filtersPerRound });
        const filters = sent.map((filter) => parseFilters(entity, filter, { today, names }));
        const selected = await select(entity, filters);
        filters.forEach((filter, index) => {
          const evaluated = numbered.filter((record) => evaluateFilter(filter, record)).map(({ id }) => id);
          matches += evaluated.length;
          if (isContradictory(filter)) {
            contradictions += 1;
            if (evaluated.length + selected[index]!.length > 0)
              throw new Error(`${JSON.stringify(sent[index])} is called a contradiction, but it matches`);
          }
          if (evaluated.join() === selected[index]!.join()) return;
          const [id] = [...evaluated, ...selected[index]!].filter(
            (one) => evaluated.includes(one) !== selected[index]!.includes(one),
          );
          throw new Error(
            `${JSON.stringify(sent[index])} on ${JSON.stringify(numbered[id! - 1])}: in memory ${evaluated.includes(id!)}, ` +
              `in SQL ${selected[index]!.includes(id!)}; ${JSON.stringify(compileFilter(filter))}`,
          );
        });
      }
      // Filters that never match would prove nothing: at least one case in a hundred must be a match.
      expect(matches).toBeGreaterThan((rounds * recordsPerRound * filtersPerRound) / 100);
      expect(contradictions).toBeGreaterThan((rounds * filtersPerRound) / 50);
    },
    600_000,
  );

  it('find a list by BETWEEN if one element is within both bounds, not if one is within each', async () => {
    const fields = filterFields.deal.filter(
      ({ value, stored, comparisons }) =>
        value.kind === 'integer' && stored.shape === 'list' && comparisons.includes('BETWEEN'),
    );
    const [record] = fc.sample(recordOf('deal'), { seed, numRuns: 1 });
    const withLists = (list: number[]) => ({
      ...record,
      ...Object.fromEntries(fields.map(({ stored }) => [(stored as { column: string }).column, list])),
    });
    const records = [[2, 7], [2, 4, 7], []].map(withLists);
    await database.store('deal', records);
    const filters = fields.map(({ name }) =>
      parseFilters('deal', { [name]: [{ values: [3, 5], comparison: 'BETWEEN' }] }, { today, names }),
    );
    expect(filters.length).toBeGreaterThan(3);
    expect(filters.map((filter) => records.map((each) => evaluateFilter(filter, each)))).toEqual(
      filters.map(() => [false, true, false]),
    );
    expect(await select('deal', filters)).toEqual(filters.map(() => [2]));
  });

  describe.each(entities)('for %s', (entity) => {
    beforeAll(async () => {
      await database.store(entity, fc.sample(recordOf(entity), { seed, numRuns: recordsPerRound }));
    });

    const parse = (filter: Record<string, unknown>) => parseFilters(entity, filter, { today, names });

    it('every record satisfies exactly one of IS_ANY_OF and IS_NOT_ANY_OF, on every field', async () => {
      for (const field of filterFields[entity]) {
        const objects = fc.sample(objectOf({ ...field, comparisons: ['IS_ANY_OF'] }), { seed, numRuns: 4 });
        for (const { values } of objects) {
          const [any, none] = await select(entity, [
            parse({ [field.name]: [{ values }] }),
            parse({ [field.name]: [{ values, comparison: 'IS_NOT_ANY_OF' }] }),
          ]);
          expect([...any!, ...none!].sort((a, b) => a - b)).toEqual(
            Array.from({ length: recordsPerRound }, (_, index) => index + 1),
          );
          const both = parse({ [field.name]: [{ values }, { values, comparison: 'IS_NOT_ANY_OF' }] });
          expect({ field: field.name, values, isContradictory: isContradictory(both) }).toEqual({
            field: field.name,
            values,
            isContradictory: true,
          });
        }
      }
    });

    it('BETWEEN is MORE_OR_EQUALS_THAN and LESS_OR_EQUALS_THAN together, on single-valued fields', async () => {
      const fields = filterFields[entity].filter(
        ({ comparisons, stored }) => comparisons.includes('BETWEEN') && stored.shape === 'one',
      );
      expect(fields.length).toBeGreaterThan(1);
      for (const field of fields) {
        const [object] = fc.sample(objectOf({ ...field, comparisons: ['BETWEEN'] }), { seed, numRuns: 1 });
        const [low, high] = object!.values;
        const [between, both] = await select(entity, [
          parse({ [field.name]: [object] }),
          parse({
            [field.name]: [
              { values: [low], comparison: 'MORE_OR_EQUALS_THAN' },
              { values: [high], comparison: 'LESS_OR_EQUALS_THAN' },
            ],
          }),
        ]);
        expect(between).toEqual(both);
      }
    });

    it('the order of fields, objects and values changes neither the key nor the answer', async () => {
      const sent = fc.sample(filterOf(entity), { seed, numRuns: 60 });
      const turned = sent.map((filter) =>
        Object.fromEntries(
          Object.entries(filter)
            .reverse()
            .map(([name, objects]) => [
              name,
              (objects as { values: unknown[]; comparison: string }[])
                .map(({ values, comparison }) => ({
                  comparison,
                  values: comparison === 'BETWEEN' ? values : [...values].reverse(),
                }))
                .reverse(),
            ]),
        ),
      );
      expect(turned.map((filter) => canonicalKey(parse(filter)))).toEqual(
        sent.map((filter) => canonicalKey(parse(filter))),
      );
    });

    it('equal keys mean equal answers, and no value appears in the SQL text', async () => {
      const filters = fc.sample(filterOf(entity), { seed, numRuns: 200 }).map(parse);
      const answers = await select(entity, filters);
      const byKey = new Map<string, string>();
      filters.forEach((filter, index) => {
        const key = canonicalKey(filter);
        expect(byKey.get(key) ?? answers[index]!.join()).toBe(answers[index]!.join());
        byKey.set(key, answers[index]!.join());
        const sql = compileFilter(filter).sql.replace(/\$\d+/g, '');
        expect(sql).toMatch(/^[a-z_.:@&<>=[\]() ]*$/);
      });
    });
  });

  it('every deal is exactly one of ACTIVE, PAST and FUTURE', async () => {
    await database.store('deal', fc.sample(recordOf('deal'), { seed, numRuns: recordsPerRound }));
    const statuses = ['ACTIVE', 'PAST', 'FUTURE'].map((status) =>
      parseFilters('deal', { status: [{ values: [status], comparison: 'IS' }] }, { today, names }),
    );
    const selected = await select('deal', statuses);
    expect(selected.every((ids) => ids.length > 0)).toBe(true);
    expect(selected.flat().sort((a, b) => a - b)).toEqual(
      Array.from({ length: recordsPerRound }, (_, index) => index + 1),
    );
  });
});
