// graphql-jit has its own coercion of variables and arguments. For variables that graphql-js accepts, both must give
// the same result.
import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { execute, getOperationAST, parse, validate, type GraphQLSchema } from 'graphql';
import { buildSchemas } from '../schema.js';
import { CompiledOperations, type CompiledOperation, type ResolvedOperation } from './compiled-operations.js';

type Variables = Record<string, unknown>;

let schema: GraphQLSchema;
beforeAll(async () => {
  ({ data: schema } = await buildSchemas());
  for (const [name, field] of Object.entries(schema.getQueryType()!.getFields())) {
    field.resolve = (_root, args: Variables, context: unknown[]) => {
      context.push([name, { ...args }]);
      return { totalCount: 0 };
    };
  }
});

function operationOf(source: string): ResolvedOperation {
  const document = parse(source);
  expect(validate(schema, document)).toEqual([]);
  return { schema, document, operation: getOperationAST(document)!, source, variables: undefined };
}

function compile(resolved: ResolvedOperation): CompiledOperation | undefined {
  const operations = new CompiledOperations();
  operations.keep(resolved);
  expect(operations.find(resolved.operation)).toBeUndefined();
  operations.keep(resolved);
  return operations.find(resolved.operation);
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

describe('CompiledOperations', () => {
  it.each([
    'query ($d: JSONObject) { dealsConnection(sorters: [$d]) { totalCount } }',
    'query ($d: String) { dealsConnection(sorters: [{ field: "title", direction: $d }]) { totalCount } }',
    'query ($d: ID) { contactsConnection(personSearchFilters: { skills: [{ values: [$d] }] }) { totalCount } }',
    'query ($d: ID) { ...a } fragment a on Query { contactsConnection(personSearchFilters: { skills: $d }) { totalCount } }',
  ])('leaves a variable inside a list or an object to graphql-js, as graphql-jit loses it: %s', (source) => {
    const document = parse(source);
    const operation = getOperationAST(document)!;
    expect(compile({ schema, document, operation, source, variables: undefined })).toBeUndefined();
  });

  it('gives resolvers the same arguments as graphql-js', async () => {
    const cases: [string, Variables][] = [
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
    const operations = new Map([companies, deals].map((text) => [text, operationOf(text)]));
    const compiled = new Map([companies, deals].map((text) => [text, compile(operations.get(text)!)]));
    let accepted = 0;
    for (const [text, variables] of cases) {
      const byGraphqlJs: unknown[] = [];
      const byGraphqlJit: unknown[] = [];
      const { document } = operations.get(text)!;
      const plain = await execute({ schema, document, variableValues: variables, contextValue: byGraphqlJs });
      // No data: the variables are refused.
      if (!plain.data) continue;
      accepted += 1;
      const quick = await compiled.get(text)!.query({}, byGraphqlJit, variables);
      expect({ variables, data: quick.data, calls: byGraphqlJit }).toEqual({
        variables,
        data: plain.data,
        calls: byGraphqlJs,
      });
    }
    expect(accepted).toBeGreaterThan(20);
    expect(accepted).toBeLessThan(cases.length - 20);
  });

  it.each([
    ['{ __schema { queryType { name } } }'],
    ['{ companiesConnection { totalCount @skip(if: false) } }'],
    ['query ($name: String = "Deal") { dealsConnection { totalCount } __type(name: $name) { name } }'],
    ['{ companiesConnection { edges { node { __proto__: id } } } }'],
  ])('leaves it to graphql-js: %s', (source) => {
    expect(compile(operationOf(source))).toBeUndefined();
  });
});
