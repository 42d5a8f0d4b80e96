import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { compileFilter, type FilterEntity, filterFields, NameDictionary } from '@tradewind/filters';
import { buildSchema, getNamedType, type GraphQLSchema, isEnumType, isInputObjectType } from 'graphql';
import { dealSortColumns, drawFilters, type DrawnFilter, type Population } from './drawn-filters.js';

const ids = (...values: number[]) => values.map(String);
const company = (n: number) => ({
  search: ['acme', `word${n}`, 'zürich'],
  name_normalised: `acme ${n}`,
  country_id: '1756',
  headquarters_location_ids: ids(1, 1756),
  location_ids: ids(1, 1756),
  industry_id: '17',
  region_ids: ids(1, 4),
  number_of_employees: String(10 * n),
  revenue_amount: n % 3 === 0 ? null : String(1_000_000 * n),
  top_market_region_ids: ids(1),
  office_region_ids: ids(4),
});
const person = (n: number) => ({
  identity_search: ['ann', `lee${n}`],
  name_search: ['ann'],
  name_normalised: `ann lee ${n}`,
  role_normalised: null,
  birth_date: `19${60 + (n % 40)}-02-28`,
  gender: 'FEMALE',
  location_ids: ids(1),
  country_id: '1756',
  region_ids: ids(4),
  gross_salary_amount: String(1000 * n),
  net_salary_amount: null,
  skill_ids: ids(7),
  education_level: 'PHD',
  language_ids: ids(3),
});
const deal = (n: number) => ({
  ...Object.fromEntries(
    filterFields.deal.flatMap(({ stored, value }): [string, unknown][] => {
      switch (stored.shape) {
        case 'one':
          if (stored.type === 'date') return [[stored.column, `20${10 + (n % 20)}-05-01`]];
          if (stored.type === 'boolean') return [[stored.column, n % 2 === 0]];
          return [[stored.column, value.kind === 'member' ? value.members[n % value.members.length] : String(n)]];
        case 'list':
          // Industries are named by their ids, too.
          return [[stored.column, stored.type === 'text' ? [`acme ${n}`] : ids(17, 18)]];
        case 'words':
          return [
            [stored.column, ['acme', `n${n}`]],
            ...stored.whole.map(({ column, isList }): [string, unknown] => [
              column,
              isList ? [`acme ${n}`] : `acme ${n}`,
            ]),
          ];
        case 'status':
          return [];
      }
    }),
  ),
});
const contact = (n: number) => ({
  ...{ id: String(n), person_id: String(n), company_id: '2', user_id: '3', import_id: '4' },
  ...{ opportunity_ids: ids(5), collection_ids: ids(6) },
  ...{ matching_status: 'MATCHED', sync_source_type: 'CRM', sync_source_name: 'HUBSPOT', email: `n${n}@example.com` },
  ...{ created_at: '2025-01-02T03:04:05.678Z', updated_at: '2026-01-02T03:04:05.678Z', search: ['ann', 'acme'] },
});
const some = <T>(make: (n: number) => T) => Array.from({ length: 60 }, (_, n) => make(n + 1));
const population: Population = {
  rows: { company: some(company), person: some(person), deal: some(deal), contact: some(contact) },
  names: NameDictionary.of({ skills: [{ id: 7, name: 'Law' }], languages: [{ id: 3, name: 'German' }] }),
  today: '2026-11-24',
  userIds: ['6f2b1c34-0000-4000-8000-000000000001', '6f2b1c34-0000-4000-8000-000000000002'],
};
const drawn = (seed: number, count: number): DrawnFilter[] => {
  const drawing = drawFilters(population, seed);
  return Array.from({ length: count }, () => drawing.next().value);
};

describe('random filters', () => {
  let many: DrawnFilter[];
  let schema: GraphQLSchema;
  beforeAll(() => {
    many = drawn(1, 6000);
    schema = buildSchema(
      readFileSync(new URL('../../../apps/graphql-gateway/schema.graphql', import.meta.url), 'utf8'),
    );
  });
  const partsOf = (entity: string) =>
    new Set(many.filter((each) => each.entity === entity).flatMap(({ parts }) => parts));
  const fieldsOf = (type: string) => {
    const input = schema.getType(type);
    if (!isInputObjectType(input)) throw new Error(`${type} is no input`);
    return Object.keys(input.getFields());
  };
  const membersOf = (type: string) => {
    const named = getNamedType(schema.getType(type));
    if (!isEnumType(named)) throw new Error(`${type} is no enum`);
    return named.getValues().map(({ name }) => name);
  };

  it('are the same for the same seed, and others for another one', () => {
    expect(drawn(1, 200)).toEqual(many.slice(0, 200));
    expect(drawn(2, 200)).not.toEqual(many.slice(0, 200));
  });

  it('never repeat themselves', () => {
    const asked = many.map(({ entity, variables }) => JSON.stringify([entity, variables]));
    expect(new Set(asked).size).toBe(many.length);
    const meant = many.map(({ filter, beside, sort }) =>
      JSON.stringify(
        [compileFilter(filter), beside.email, beside.person && compileFilter(beside.person), sort, filter.entity],
        (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value),
      ),
    );
    expect(new Set(meant).size).toBe(many.length);
  });

  it.each(['company', 'person', 'deal'] as const)(
    'ask for every field of a %s with every comparison',
    (entity: FilterEntity) => {
      const expected = filterFields[entity].flatMap(({ name, comparisons }) =>
        comparisons.map((each) => `${name} ${each}`),
      );
      expect([...partsOf(entity)].filter((part) => !part.startsWith('sorter '))).toEqual(
        expect.arrayContaining(expected),
      );
    },
  );

  it('ask for every field that the schema has', () => {
    const names = (entity: string) => new Set([...partsOf(entity)].map((part) => part.split(' ')[0]));
    for (const [entity, type, others] of [
      ['company', 'InputCompanySearchFilters', ['topMarkets', 'officeLocation']],
      ['person', 'InputPersonsSearchFilters', []],
      ['deal', 'InputDealSearchFilters', []],
      ['contact', 'InputGetContactFilters', ['personSearchFilters']],
    ] as const)
      expect([...names(entity)]).toEqual(expect.arrayContaining([...fieldsOf(type), ...others]));
  });

  it('ask for every order', () => {
    const directions = ['ASC', 'DESC'];
    const sorters = Object.keys(dealSortColumns).flatMap((field) =>
      directions.map((each) => `sorter ${field} ${each}`),
    );
    expect([...partsOf('deal')]).toEqual(expect.arrayContaining(sorters));
    expect([...partsOf('contact')]).toEqual(
      expect.arrayContaining([
        ...membersOf('ContactSortBy').map((member) => `sortBy ${member}`),
        ...membersOf('PersonOrderBy').map((member) => `personSortBy ${member}`),
        ...membersOf('SortOrder').map((member) => `sortOrder ${member}`),
        ...membersOf('ContactFilterType').map((member) => `filterType ${member}`),
      ]),
    );
  });

  it('hold words, contradictions, and values of records', () => {
    expect(many.some(({ hasWords }) => hasWords)).toBe(true);
    expect(many.some(({ isContradictory }) => isContradictory)).toBe(true);
    expect(many.every(({ isContradictory }) => isContradictory)).toBe(false);
    const revenues = many.flatMap(({ filter }) =>
      filter.conditions.flatMap((each) => (each.op === 'in' && each.column === 'revenue_amount' ? each.values : [])),
    );
    expect(revenues.length).toBeGreaterThan(0);
    expect(
      revenues.map(String).filter((value) => !population.rows.company.some((row) => row['revenue_amount'] === value)),
    ).toEqual([]);
  });
});
