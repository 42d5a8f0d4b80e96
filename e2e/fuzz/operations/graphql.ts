// Requests that the committed GraphQL schemas allow: each root field with drawn selections and variables.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc, { type Arbitrary } from 'fast-check';
import {
  buildSchema,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { rootDir } from '../../src/platform-process.js';
import { marker } from '../request/fuzz-request.js';
import type { Target } from '../../src/target.types.js';
import type { Operation, Sample } from './operation.types.js';

const selectionDepthMax = 4;
const inputDepthMax = 5;

export function operationsOfGraphql({ tokens }: Target): Operation[] {
  return [
    ...operationsOf('schema.graphql', '/graphql', tokens.apiKey),
    ...operationsOf('auth-schema.graphql', '/auth/graphql', tokens.jwt),
    byGet({ path: '/graphql', query: { query: '{ __typename }', variables: '{}' }, bearer: tokens.apiKey }),
    byGet({ path: '/auth/graphql', query: { query: '{ dataEndpoint }' }, bearer: tokens.jwt }),
    byGet({ path: '/explorer/{name}', params: { name: marker } }),
  ];
}

function byGet({ bearer, ...part }: Partial<Sample> & { path: string; bearer?: string }): Operation {
  const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const sample: Sample = { service: 'graphql-gateway', method: 'GET', params: {}, query: {}, headers, ...part };
  return { service: 'graphql-gateway', name: `GET ${part.path}`, samples: fc.constant(sample) };
}

function operationsOf(file: string, path: string, bearer: string): Operation[] {
  const schema = buildSchema(readFileSync(join(rootDir, 'apps/graphql-gateway', file), 'utf8'));
  return [schema.getQueryType(), schema.getMutationType()].flatMap((root, index) =>
    Object.values(root?.getFields() ?? {}).map((field): Operation => {
      const kind = index === 0 ? 'query' : 'mutation';
      const samples = fc
        .record({ variables: variables(field), selection: selections(field.type, 0) })
        .map((drawn): Sample => ({
          ...{ service: 'graphql-gateway', method: 'POST', path, params: {}, query: {} },
          headers: { authorization: `Bearer ${bearer}` },
          body: { query: documentOf(kind, field, drawn), variables: drawn.variables },
        }));
      return { service: 'graphql-gateway', name: `${kind} ${field.name}`, samples };
    }),
  );
}

function documentOf(
  kind: string,
  { name, args }: GraphQLField<unknown, unknown>,
  drawn: { variables: Record<string, unknown>; selection: string },
): string {
  const used = args.filter((argument) => argument.name in drawn.variables);
  const declared = used.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(', ');
  const given = used.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const inParentheses = (text: string) => (text === '' ? '' : `(${text})`);
  return `${kind} Fuzz${inParentheses(declared)} { ${name}${inParentheses(given)} ${drawn.selection} }`;
}

function variables({ args }: GraphQLField<unknown, unknown>): Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(args.map(({ name, type }) => [name, inputs(type, 0)])), {
    requiredKeys: args.filter(isRequiredArgument).map(({ name }) => name),
  });
}

function selections(type: GraphQLOutputType, depth: number): Arbitrary<string> {
  const named = getNamedType(type);
  if (!isObjectType(named)) return fc.constant('');
  const fields = Object.values(named.getFields()).filter(
    (field) => depth < selectionDepthMax || !isObjectType(getNamedType(field.type)),
  );
  if (fields.length === 0) return fc.constant('{ __typename }');
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(5, fields.length) })
    .chain((chosen) =>
      fc.tuple(...chosen.map((field) => selections(field.type, depth + 1).map((inner) => `${field.name} ${inner}`))),
    )
    .map((parts) => `{ ${parts.join(' ')} }`);
}

function inputs(type: GraphQLInputType, depth: number): Arbitrary<unknown> {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    // The type of a list of inputs is an input type.
    return fc.array(inputs(nullable.ofType, depth), { minLength: 1, maxLength: 3 });
  }
  if (isEnumType(nullable)) return fc.constantFrom(...nullable.getValues().map(({ name }) => name));
  if (isInputObjectType(nullable)) {
    const fields = Object.values(nullable.getFields());
    const required = fields.filter(isRequiredInputField);
    const optional = fields.filter((field) => !isRequiredInputField(field));
    const drawn =
      depth < inputDepthMax ? fc.subarray(optional, { maxLength: Math.min(2, optional.length) }) : fc.constant([]);
    return drawn.chain((chosen) =>
      fc.record(
        Object.fromEntries([...required, ...chosen].map((field) => [field.name, inputs(field.type, depth + 1)])),
      ),
    );
  }
  switch (String(nullable)) {
    case 'Int':
    case 'BigInteger':
      return fc.integer({ min: -3, max: 3_000 });
    case 'Float':
      return fc.double();
    case 'Boolean':
      return fc.boolean();
    case 'JSONObject':
      return fc.dictionary(fc.constantFrom('field', 'direction', 'skills', 'name'), fc.jsonValue({ maxDepth: 2 }));
    default:
      return fc.oneof(fc.constantFrom(marker, 'software', '1', '2026-01-31', 'Germany'), fc.string({ maxLength: 10 }));
  }
}
