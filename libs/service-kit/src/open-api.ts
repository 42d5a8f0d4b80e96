import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceConfig } from './config/config-class.js';

export interface OpenApiOptions {
  title: string;
  description: string;
  version?: string;
}

/** The OpenAPI document of an app, from its controllers and the decorators of @nestjs/swagger. */
export async function openApiDocument(app: NestFastifyApplication, options: OpenApiOptions) {
  const { DocumentBuilder, SwaggerModule } = await import('@nestjs/swagger');
  const description = new DocumentBuilder()
    .setTitle(options.title)
    .setDescription(options.description)
    .setVersion(options.version ?? '1.0.0')
    .addBearerAuth()
    .build();
  return SwaggerModule.createDocument(app, description);
}

/**
 * Serves `/openapi.json` and, in dev alone, a page to read and try it at `/docs`. To be called in a service's `configure`.
 * The swagger packages are loaded here, not at start, by services that call it.
 */
export async function openApi(
  app: NestFastifyApplication,
  config: ServiceConfig,
  options: OpenApiOptions,
): Promise<void> {
  const { SwaggerModule } = await import('@nestjs/swagger');
  const document = await openApiDocument(app, options);
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    ui: config.ENVIRONMENT === 'dev',
    customSiteTitle: options.title,
  });
}
