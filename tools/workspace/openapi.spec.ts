// What every committed OpenAPI document has to say, for every controller to come.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
}

type Content = Record<string, { schema?: Schema }>;

interface Operation {
  parameters?: { name: string; in: string; schema?: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  security?: Record<string, string[]>[];
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  servers: { url: string }[];
  components: { securitySchemes: Record<string, unknown>; schemas: Record<string, Schema> };
}

const apps = fileURLToPath(new URL('../../apps/', import.meta.url));
const documents = readdirSync(apps).filter((app) => existsSync(`${apps}${app}/openapi.json`));

it('is committed by every service with a REST interface of its own', () => {
  expect(documents).toEqual([
    ...['coordinator', 'graphql-gateway', 'identity', 'interactions', 'priority-api', 'priority-webhook'],
  ]);
});

/** The recommended rules, and examples that fit what they are examples of. */
const lint = createConfig({
  extends: ['recommended'],
  rules: {
    'no-invalid-schema-examples': 'error',
    'no-invalid-media-type-examples': 'error',
    'no-invalid-parameter-examples': 'error',
  },
});

describe.each(documents)('the OpenAPI document of %s', (app) => {
  const text = readFileSync(`${apps}${app}/openapi.json`, 'utf8');
  const document = JSON.parse(text) as OpenApi;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
  );

  it('keeps the recommended rules of Redocly, and its examples fit', async () => {
    const absoluteRef = `${apps}${app}/openapi.json`;
    const problems = await lintFromString({ source: text, absoluteRef, config: await lint });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, location[0]?.pointer, message])).toEqual([]);
  });

  it.each(operations)('has an example of everything in %s', (_name, { parameters = [], requestBody, responses }) => {
    const contents = [requestBody, ...Object.values(responses)].flatMap((one) => Object.entries(one?.content ?? {}));
    expect([
      ...parameters.flatMap(({ name, ...given }) => withoutExample({ ...given.schema, ...given }, name)),
      ...contents.flatMap(([type, given]) => withoutExample({ ...given.schema, ...given }, type)),
    ]).toEqual([]);
  });

  /** The values within a schema that have no example, no default and no list of what is possible. */
  function withoutExample(schema: Schema, path: string): string[] {
    if (['example', 'examples', 'enum', 'default'].some((key) => key in schema)) return [];
    const { $ref, properties = {}, items, allOf = [], oneOf = [] } = schema;
    const parts: [Schema, string][] = [
      ...Object.entries(properties).map(([name, part]): [Schema, string] => [part, `${path}.${name}`]),
      ...[...(items ? [items] : []), ...allOf, ...oneOf].map((part): [Schema, string] => [part, path]),
    ];
    if ($ref) parts.push([document.components.schemas[$ref.split('/').at(-1)!]!, path]);
    return parts.length > 0 ? parts.flatMap(([part, name]) => withoutExample(part, name)) : [path];
  }

  it('names a server', () => {
    expect(document.servers.length).toBeGreaterThan(0);
  });

  it('refers only to what it defines', () => {
    const references = [...text.matchAll(/"\$ref":\s*"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!);
    expect(references.filter((name) => !(name in document.components.schemas))).toEqual([]);
    const schemes = operations.flatMap(([, { security }]) => (security ?? []).flatMap((names) => Object.keys(names)));
    expect(schemes.filter((name) => !(name in document.components.securitySchemes))).toEqual([]);
    expect(Object.keys(document.components.securitySchemes).sort()).toEqual([...new Set(schemes)].sort());
  });

  it.each(operations)('describes the answer to %s', (_name, { responses }) => {
    const answers = Object.entries(responses).filter(([status]) => Number(status) < 300);
    expect(answers.length).toBeGreaterThan(0);
    // 204 has no body.
    for (const [status, { content }] of answers)
      expect([status, content !== undefined]).toEqual([status, status !== '204']);
  });

  it.each(operations)('names what can go wrong with %s', (_name, operation) => {
    const { parameters = [], requestBody, security = [], responses } = operation;
    // Every operation of these services needs a credential.
    expect(security.length).toBeGreaterThan(0);
    const expected = ['401', '503'];
    if (security.some((names) => 'bearer' in names)) expected.push('403');
    if (parameters.length > 0 || requestBody) expected.push('400');
    if (requestBody) expected.push('413', '415');
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(expected));
    for (const [status, { description, content }] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      expect(description).not.toBe('');
      expect(content).toEqual({ 'application/json': { schema: { $ref: '#/components/schemas/Error' } } });
    }
  });
});
