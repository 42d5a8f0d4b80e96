/// <reference types="node" />
// The shell and the compiler judge the texts, so this test runs both.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildSchema, getOperationAST, parse, validate, type GraphQLSchema } from 'graphql';
import { getVariableValues } from 'graphql/execution/values.js';
import { amountOf, fieldKey, sortKey, variablesOf, type Condition } from './conditions.js';
import { chosenFields, curlText, jsonText, requestFor, typescriptText } from './request.js';
import { entities, enumerations } from './schema.generated.js';
import type { EntityName, FilterField } from './schema.types.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const url = 'http://localhost:4001/graphql';
const names = Object.keys(entities) as EntityName[];

const sample: Record<FilterField['kind'], string> = {
  ...{ integer: '3', decimal: '0.5', money: '9000000000', age: '30', date: '2025-01-31' },
  ...{ instant: '2026-01-01T10:00', boolean: 'true', text: `it's "quoted" \\ $HOME \`id\``, member: '', name: 'DACH' },
};

/** Every field with its first comparison. */
function wide(entity: EntityName): Condition[] {
  return entities[entity].filters.map((field) => {
    const value = field.members ? enumerations[field.members]![0]!.member : sample[field.kind];
    const [comparison] = field.comparisons;
    const count = amountOf(field, comparison) === 'two' ? 2 : 1;
    return { field: fieldKey(field), comparison, values: Array<string>(count).fill(value) };
  });
}

const requestOf = (entity: EntityName, conditions = wide(entity), fieldNames: string[] = []) => {
  const schema = entities[entity];
  const sort = schema.sorts[0] && { by: sortKey(schema.sorts[0]), isDescending: true };
  return requestFor(schema, variablesOf(schema, conditions, sort), chosenFields(schema, fieldNames));
};

describe('the request for what was built', () => {
  let schema: GraphQLSchema;
  beforeAll(() => {
    schema = buildSchema(readFileSync(join(root, 'apps/graphql-gateway/schema.graphql'), 'utf8'));
  });

  it.each(names)('with every filter, sort and field of %s is right by the schema', (entity) => {
    const { query, variables } = requestOf(entity);
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    const declared = getOperationAST(document)!.variableDefinitions!;
    const { errors, coerced } = getVariableValues(schema, declared, variables);
    expect(errors).toBeUndefined();
    // Each variable is declared, and the filters have the names that the service wants.
    expect(Object.keys(coerced!).toSorted()).toEqual(Object.keys(variables).toSorted());
    expect(declared.map(({ variable }) => variable.name.value)).toEqual([...Object.keys(variables), 'after']);
  });

  it('asks for the chosen fields alone, and for all when none of them is known', () => {
    expect(requestOf('companies', [], ['name', 'revenue']).query).toMatchInlineSnapshot(`
"query Companies($after: String) {
  companiesConnection(after: $after) {
    totalCount
    edges {
      node {
        name
        revenue {
          currency
          isVerified
          localCurrency
          localCurrencyValue
          localCurrencyValueMultiplier
          multiplier
          value
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}"
`);
    expect(requestOf('companies', [], ['nothing']).query).toBe(requestOf('companies', []).query);
  });

  it('has the same document for the next page', () => {
    const entity = entities.companies;
    const variables = variablesOf(entity, wide('companies'));
    const fields = chosenFields(entity, []);
    const next = requestFor(entity, { ...variables, after: 'cursor' }, fields);
    expect(next.query).toBe(requestFor(entity, variables, fields).query);
    expect(next.variables).toEqual({ ...variables, after: 'cursor' });
  });
});

describe('JSON as a person writes it', () => {
  it('is in a line where it fits, and the same value', () => {
    const { variables } = requestOf('contacts');
    const text = jsonText(variables);
    expect(JSON.parse(text)).toEqual(variables);
    expect(jsonText({ searchFilters: { revenue: [{ values: [1, 2], comparison: 'BETWEEN' }], name: [] } })).toBe(`{
  "searchFilters": {
    "revenue": [{ "values": [1, 2], "comparison": "BETWEEN" }],
    "name": []
  }
}`);
    expect(jsonText({})).toBe('{}');
  });
});

describe('the request for a shell', () => {
  it.each(names)('sends what was built for %s, whatever is in it, with the key of the environment', async (entity) => {
    const request = requestOf(entity);
    // The shell reads the text; this stands in for curl and prints its words.
    const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${curlText(url, request)}`;
    const { stdout } = await run('sh', ['-c', script], { env: { ...process.env, API_KEY: 'svc_of the environment' } });
    const words = stdout.split('\0');
    expect(words.slice(0, -2)).toEqual([
      ...['-sS', url, '-H', 'Authorization: Bearer svc_of the environment'],
      ...['-H', 'Content-Type: application/json', '-d'],
    ]);
    const { query, variables } = JSON.parse(words.at(-2)!) as typeof request;
    expect(variables).toEqual(request.variables);
    expect(query).toBe(request.query.replaceAll(/\s+/g, ' '));
  });
});

describe('the request as TypeScript', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-code-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('compiles for every entity, under strict rules', async () => {
    for (const entity of names) {
      const schema = entities[entity];
      writeFileSync(join(folder, `${entity}.ts`), typescriptText(url, schema, requestOf(entity), schema.fields));
    }
    const files = names.map((entity) => join(folder, `${entity}.ts`));
    const options = [
      '--strict',
      '--noEmit',
      '--target',
      'es2023',
      '--module',
      'nodenext',
      '--moduleDetection',
      'force',
      '--ignoreConfig',
    ];
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, ...options, ...types, ...files]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  }, 60_000);

  it('names the types of the chosen fields', () => {
    const schema = entities.deals;
    const text = typescriptText(url, schema, requestOf('deals'), chosenFields(schema, ['id', 'type', 'sports']));
    expect(text).toContain(`interface Deal {
  id: string;
  sports: {
    id: string;
    name: string | null;
  }[];
  type: 'FULL_DEAL' | 'MEDIA' | 'RELATIONSHIP' | 'SPONSORSHIP' | null;
}`);
  });
});
