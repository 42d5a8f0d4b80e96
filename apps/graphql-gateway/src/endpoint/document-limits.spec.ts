// What documents may cost before they are executed, and the limits of introspection.
import 'reflect-metadata';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  execute,
  getIntrospectionQuery,
  getOperationAST,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import { chainedFragments, hostileDocuments } from '../../test/support/hostile-documents.js';
import { companySource } from '../records/companies/company-source.js';
import { isSelected, selectedFields } from '../connections/selection.js';
import { buildSchemas } from '../schema.js';
import { CompiledOperations } from './compiled-operations.js';
import { documentLimits, measureDocument, selectionsMax, tokensMax, validationErrorsMax } from './document-limits.js';
import { rootFieldNames } from './root-fields.js';

/** CPU time of one request's document, milliseconds; the largest useful document takes about 5. */
const cpuMsMax = 200;

let schemas: { data: GraphQLSchema; auth: GraphQLSchema };
beforeAll(async () => (schemas = await buildSchemas()));

/** All work on a document before its records are read. */
async function handle(schema: GraphQLSchema, text: string): Promise<'refused' | 'accepted'> {
  let document: DocumentNode;
  try {
    document = parse(text, { maxTokens: tokensMax });
  } catch {
    return 'refused';
  }
  if (validate(schema, document, [...specifiedRules, documentLimits], { maxErrors: validationErrorsMax }).length > 0)
    return 'refused';
  const operation = getOperationAST(document);
  if (!operation) return 'accepted';
  rootFieldNames(document, operation, {});
  const operations = new CompiledOperations();
  for (let times = 0; times < 2; times++) operations.keep({ schema, document, operation, source: text, variables: {} });
  const rootValue = {
    companiesConnection: (_args: unknown, _context: unknown, info: GraphQLResolveInfo) => {
      selectedFields(info, companySource.fields);
      isSelected(info, 'totalCount');
    },
  };
  await execute({ schema, document, rootValue });
  return 'accepted';
}

async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const parsed = (text: string) => parse(text, { maxTokens: tokensMax });
const faultOf = (text: string) => measureDocument(parsed(text)).fault;

describe('measureDocument', () => {
  it('visits each selection once for each place, and stops at the limit', () => {
    for (const [name, text] of Object.entries(hostileDocuments.data)) {
      let document: DocumentNode;
      try {
        document = parsed(text);
      } catch {
        continue;
      }
      const { selections } = measureDocument(document);
      expect({ name, isBounded: selections <= selectionsMax + 1 }).toEqual({ name, isBounded: true });
    }
    // In a chain of fragments, each fragment and each spread is visited once.
    const chain = chainedFragments(20, 'Company', 'companiesConnection { edges { node { ... } } }', 'id');
    expect(measureDocument(parsed(chain)).selections).toBe(3 + 1 + 20 * 2 + 1);
  });

  it.each([
    [
      getIntrospectionQuery({
        descriptions: true,
        inputValueDeprecation: true,
        oneOf: true,
        directiveIsRepeatable: true,
      }),
    ],
    ['{ __type(name: "Query") { fields { name type { name fields { name } } } } }'],
    [
      '{ industries: __type(name: "Industry") { enumValues { name } } deals: __type(name: "DealType") { enumValues { name } } }',
    ],
    [`{ companiesConnection { edges { node { ${'...F '.repeat(10)} } } } } fragment F on Company { id name }`],
  ])('lets useful documents pass: %.60s', (text) => {
    expect(faultOf(text)).toBeNull();
  });

  it.each([
    ['{ a: __schema { types { name } } b: __schema { types { name } } }', 'at most 1 __schema'],
    ['{ __schema { a: types { name } b: types { name } } }', 'no aliases for the lists of introspection'],
    [
      `{ companiesConnection { edges { node { ${'id '.repeat(31)} } } } }`,
      'at most 30 fields of one name in one selection',
    ],
    [
      `{ companiesConnection { ${'edges { node { id id } } '.repeat(16)} } }`,
      'at most 30 fields of one name in one selection',
    ],
    [
      `{ ${'...F '.repeat(11)} } fragment F on Query { __typename }`,
      'at most 10 spreads of one fragment in one selection',
    ],
    [`{ __typename ${'@skip(if: false) '.repeat(6)} }`, 'at most 5 directives in one place'],
    [`{ ${'a'.repeat(201)} }`, 'at most 200 characters in a name'],
    [
      `{ dealsConnection(sorters: [${'{a: '.repeat(10)}1${'}'.repeat(10)}]) { totalCount } }`,
      'at most 10 lists and objects inside one another',
    ],
    ['{ ...F } fragment F on Query { a { ...F } }', 'at most 12 levels'],
  ])('names the limit: %.60s', (text, fault) => {
    expect(faultOf(text)).toBe(fault);
  });
});

describe.each(['auth', 'data'] as const)('a hostile document for the %s endpoint', (endpoint) => {
  beforeAll(() => handle(schemas[endpoint], '{ __schema { types { name fields { name } } } }'));

  it.each(Object.entries(hostileDocuments[endpoint]))('takes little time: %s', async (_name, text) => {
    expect(text.length).toBeLessThanOrEqual(16_384);
    const attempts: number[] = [];
    // Measured again, because the first time may include compilation of this program or garbage of other tests.
    do attempts.push(await cpuMsOf(() => handle(schemas[endpoint], text)));
    while (attempts.at(-1)! > cpuMsMax && attempts.length < 3);
    expect(Math.min(...attempts)).toBeLessThan(cpuMsMax);
  });
});
