import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Kind, parse, validate, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { buildSchemas } from '../schema.js';
import { collectRootFields, compileExecutedFields, executedFields } from './executed-fields.js';

let schema: GraphQLSchema;
beforeAll(async () => ({ data: schema } = await buildSchemas()));

function operationOf(text: string) {
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  )!;
  return { schema, document, operation };
}

function outcomeOf<T>(work: () => T): { value: T } | { message: string; extensions: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    const { message, extensions } = error as { message: string; extensions: unknown };
    return { message, extensions };
  }
}

const companies = `query ($searchFilters: InputCompanySearchFilters, $topMarkets: [InputTopMarketsFilter!], $after: String = "x") {
  companiesConnection(searchFilters: $searchFilters, topMarkets: $topMarkets, after: $after) { totalCount }
  other: companiesConnection(after: "x") { totalCount }
  ...more
} fragment more on Query { ... on Query { third: dealsConnection(after: $after) { totalCount } } }`;
const deals = `query ($searchFilters: InputDealSearchFilters, $sorters: [JSONObject!], $after: String) {
  dealsConnection(searchFilters: $searchFilters, sorters: $sorters, after: $after) { totalCount } __typename
}`;

const filterObjects: unknown[] = [
  null,
  [],
  {},
  [null],
  'text',
  7,
  true,
  [[{ values: ['1'] }]],
  { values: 'Accounting' },
  { values: ['Accounting'], comparison: 'IS_ANY_OF' },
  [{ values: ['Accounting', 'NoSuchIndustry'] }],
  [{ values: [null] }],
  [{ values: null }],
  [{ values: [] }],
  [{ comparison: 'IS' }],
  [{ values: [1], comparison: 'NO_SUCH' }],
  [{ values: [1], comparison: null }],
  [{ values: ['9007199254740993', 5, -1], comparison: 'BETWEEN' }],
  [{ values: [1.5] }],
  [{ values: ['2020-01-01', true, {}] }],
  [{ values: ['1'], other: 1 }],
];

describe('compileExecutedFields', () => {
  it('finds the fields, arguments and faults that graphql-js finds', () => {
    const cases: [string, Record<string, unknown>][] = [
      [companies, {}],
      [companies, { after: null }],
      [companies, { after: 5, unknown: 1 }],
      [deals, { sorters: [{ field: 'announcedDate' }], after: 'x' }],
      [deals, { sorters: { field: 'announcedDate' } }],
      [deals, { sorters: [null] }],
      [deals, { sorters: 'text' }],
    ];
    for (const sent of filterObjects) {
      cases.push(
        [companies, { searchFilters: sent }],
        [companies, { topMarkets: sent }],
        [deals, { searchFilters: sent }],
      );
      for (const field of ['industry', 'revenue', 'keywords', 'country', 'isPublic', 'noSuchField'])
        cases.push([companies, { searchFilters: { [field]: sent } }]);
      for (const field of ['type', 'startDate', 'buyerCompanies', 'status'])
        cases.push([deals, { searchFilters: { [field]: sent } }]);
    }
    const compiled = new Map(
      [companies, deals].map((text) => {
        const operation = operationOf(text);
        return [text, compileExecutedFields(operation, collectRootFields(operation, {}))];
      }),
    );
    const operations = new Map([companies, deals].map((text) => [text, operationOf(text)]));
    let accepted = 0;
    for (const [text, variables] of cases) {
      const plain = outcomeOf(() => executedFields({ ...operations.get(text)!, variables }));
      // Nodes are those of two parses.
      const shown = (outcome: typeof plain) =>
        'value' in outcome
          ? outcome.value.map(({ responseKey, name, args }) => ({ responseKey, name, args: { ...args } }))
          : outcome;
      const quick = outcomeOf(() => compiled.get(text)!(variables));
      expect({ variables, outcome: shown(quick) }).toEqual({ variables, outcome: shown(plain) });
      if ('value' in plain) accepted += 1;
    }
    expect(accepted).toBeGreaterThan(20);
    expect(accepted).toBeLessThan(cases.length - 20);
  });
});
