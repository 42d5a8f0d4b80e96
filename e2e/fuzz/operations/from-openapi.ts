// The operations of the committed OpenAPI documents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { rootDir } from '../../src/platform-process.js';
import type { ServiceName } from '../../src/service-names.js';
import type { Target } from '../../src/target.types.js';
import type { Operation } from './operation.types.js';
import { type Schema, valuesOf } from './schema-values.js';

interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, Schema> };
}
interface OpenApiOperation {
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export const documented = [
  'graphql-gateway',
  'interactions',
  'priority-api',
  'priority-webhook',
  'coordinator',
] as const satisfies readonly ServiceName[];

export function operationsOfOpenApi(service: (typeof documented)[number], target: Target): Operation[] {
  const file = join(rootDir, 'apps', service, 'openapi.json');
  const document = JSON.parse(readFileSync(file, 'utf8')) as OpenApi;
  const named = document.components.schemas;
  // Read for each request: a long run renews the token.
  const headers = fc.constant(service).map(() => credentialOf(service, target));
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const placed = (place: string) => (operation.parameters ?? []).filter((parameter) => parameter.in === place);
      const valuesIn = (place: string) =>
        fc.record(
          Object.fromEntries(placed(place).map(({ name, schema }) => [name, valuesOf(schema, named)])),
          // Half of the optional ones are absent.
          { requiredKeys: placed(place).flatMap(({ name, required }) => (required ? [name] : [])) },
        );
      const body = operation.requestBody?.content['application/json']?.schema;
      return {
        service,
        name: `${method.toUpperCase()} ${path}`,
        samples: fc.record({
          ...{ service: fc.constant(service), method: fc.constant(method.toUpperCase()), path: fc.constant(path) },
          ...{ params: valuesIn('path'), query: valuesIn('query'), headers },
          ...(body === undefined ? {} : { body: valuesOf(body, named) }),
        }),
      };
    }),
  );
}

function credentialOf(service: ServiceName, { tokens }: Target): Record<string, string> {
  if (service === 'graphql-gateway') return tokens.data === undefined ? {} : { authorization: `Bearer ${tokens.data}` };
  const secret = tokens.webhooks[service];
  return secret === undefined ? {} : { 'x-webhook-secret': secret };
}
