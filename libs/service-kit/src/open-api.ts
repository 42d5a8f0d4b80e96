// The OpenAPI document of an app: what its controllers declare, and what is true of every operation.
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { CallerAuth } from './callers/caller-auth.js';
import type { ServiceConfig } from './config/config-class.js';
import { bool, type Setting } from '@tradewind/shared-types';
import { serveDocsPage } from './pages/docs-page.js';

export const openApiSettings = {
  API_DOCS: bool({
    desc: 'Whether GET /docs serves a page to read and try the API',
    default: false,
    defaultIn: { dev: true },
  }),
} satisfies Record<string, Setting<unknown>>;

export interface OpenApiOptions {
  title: string;
  description: string;
  version?: string;
}

type PathItem = OpenAPIObject['paths'][string];
type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
type Operation = NonNullable<PathItem['get']>;
type SecurityScheme = NonNullable<NonNullable<OpenAPIObject['components']>['securitySchemes']>[string];

/** What `@ApiBearerAuth()` and `@ApiSecurity(...)` can name. */
const securitySchemes: Readonly<Record<string, SecurityScheme>> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'Access token of the identity service, direct-login JWT, or service token',
  },
  'webhook-secret': {
    type: 'apiKey',
    in: 'header',
    name: 'x-webhook-secret',
    description: 'Shared secret of the webhook',
  },
};

const errorSchema = {
  type: 'object',
  required: ['message', 'error', 'statusCode'],
  properties: {
    message: {
      oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      example: ['limit must be an integer from 1 to 200'],
    },
    error: { type: 'string', example: 'Bad Request' },
    statusCode: { type: 'integer', example: 400 },
  },
};

/** The error responses of the kit, and the operations that can have them. */
const failures: readonly { status: string; description: string; meets: (operation: Operation) => boolean }[] = [
  {
    status: '400',
    description: 'Broken rules, each with the path of its field',
    meets: ({ parameters, requestBody }) => requestBody !== undefined || (parameters ?? []).length > 0,
  },
  { status: '401', description: 'No valid credential', meets: ({ security }) => (security ?? []).length > 0 },
  {
    status: '403',
    description: 'The caller is known and is not allowed to do this',
    meets: ({ security }) => (security ?? []).some((schemes) => 'bearer' in schemes),
  },
  {
    status: '413',
    description: 'The body is larger than the service reads',
    meets: ({ requestBody }) => requestBody !== undefined,
  },
  {
    status: '415',
    description: 'The content type, encoding or charset is not one that the service reads',
    meets: ({ requestBody }) => requestBody !== undefined,
  },
  {
    status: '503',
    description: 'Something that the request needs does not answer; Retry-After says when to ask again',
    meets: () => true,
  },
];

/** The OpenAPI document of an app, from its controllers and the decorators of @nestjs/swagger. */
async function openApiDocument(app: NestFastifyApplication, options: OpenApiOptions): Promise<OpenAPIObject> {
  const { DocumentBuilder, SwaggerModule } = await import('@nestjs/swagger');
  const description = new DocumentBuilder()
    .setTitle(options.title)
    .setDescription(options.description)
    .setVersion(options.version ?? '1.0.0')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/', 'The service that serves this document')
    .build();
  return withCommonParts(SwaggerModule.createDocument(app, description));
}

/**
 * The same as the text of `openapi.json`, from the controllers alone. Nothing is called, so empty objects replace what
 * they inject, and CallerAuth.
 * @param alsoInjected what their other guards inject
 */
export async function openApiFile(
  controllers: Type[],
  options: OpenApiOptions,
  alsoInjected: readonly Type[] = [],
): Promise<string> {
  // What Nest itself reads to inject.
  const injected = controllers.flatMap((one) => Reflect.getMetadata('design:paramtypes', one) as Type[]);
  const providers = [...injected, CallerAuth, ...alsoInjected].map((provide) => ({ provide, useValue: {} }));
  class ApiModule {}
  const app = await NestFactory.create<NestFastifyApplication>(
    { module: ApiModule, controllers, providers },
    new FastifyAdapter(),
    { logger: ['error'], abortOnError: false },
  );
  return JSON.stringify(await openApiDocument(app, options));
}

const examples: Readonly<Record<string, unknown>> = {
  uuid: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11',
  'date-time': '2026-11-24T10:15:00.000Z',
  boolean: true,
};

/** Adds the examples that no DTO needs to name, of values whose kind says everything about them. */
function addExamples(schema: Schema | undefined): void {
  if (schema === undefined || '$ref' in schema) return;
  const { type, format, properties = {}, items, allOf = [], oneOf = [] } = schema;
  const example = examples[format ?? ''] ?? examples[String(type)];
  if (example !== undefined && !['example', 'enum', 'default'].some((key) => key in schema)) schema.example = example;
  for (const part of [...Object.values(properties), items, ...allOf, ...oneOf]) addExamples(part);
}

/** Adds the failures that no controller needs to name, their schema, and the security schemes in use. */
function withCommonParts(document: OpenAPIObject): OpenAPIObject {
  const operations = Object.values(document.paths).flatMap(operationsOf);
  for (const operation of operations) {
    for (const { status, description, meets } of failures) {
      if (meets(operation)) operation.responses[status] ??= { description };
    }
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) < 400 || !response || '$ref' in response) continue;
      response.content ??= { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
    }
  }
  const ownSchemas = operations.flatMap(({ parameters = [], requestBody }) => [
    ...parameters.map((parameter) => ('schema' in parameter ? parameter.schema : undefined)),
    ...Object.values(requestBody && 'content' in requestBody ? requestBody.content : {}).map(({ schema }) => schema),
  ]);
  for (const schema of [...ownSchemas, ...Object.values(document.components?.schemas ?? {})]) addExamples(schema);
  const used = new Set(operations.flatMap(({ security }) => (security ?? []).flatMap((names) => Object.keys(names))));
  return {
    ...document,
    components: {
      ...document.components,
      securitySchemes: Object.fromEntries([...used].sort().map((name) => [name, securityScheme(name)])),
      schemas: { ...document.components?.schemas, Error: errorSchema },
    },
  };
}

function operationsOf({ get, put, post, patch, delete: remove }: PathItem): Operation[] {
  return [get, put, post, patch, remove].filter((operation) => operation !== undefined);
}

function securityScheme(name: string): SecurityScheme {
  const scheme = securitySchemes[name];
  if (!scheme) throw new Error(`The security scheme ${name} is not defined in open-api.ts`);
  return scheme;
}

/**
 * Serves `/openapi.json` and, where API_DOCS is on, a page at `/docs` to read and try it. Call it in a service's
 * `configure`; the app's settings need `openApiSettings`. The swagger packages are loaded here, not at start.
 */
export async function openApi(
  app: NestFastifyApplication,
  config: ServiceConfig & { readonly API_DOCS: boolean },
  options: OpenApiOptions,
): Promise<void> {
  const { SwaggerModule } = await import('@nestjs/swagger');
  const document = await openApiDocument(app, options);
  if (config.API_DOCS) serveDocsPage(app.getHttpAdapter().getInstance(), options.title);
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    ui: config.API_DOCS,
    customSiteTitle: options.title,
  });
}
