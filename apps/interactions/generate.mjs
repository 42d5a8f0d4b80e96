// openapi.json, from the controllers and their DTOs. Part of `npm run gen`.
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { CallerAuth, openApiDocument } from '@tradewind/service-kit';
import { writeGenerated } from '../../tools/workspace/generated-files.mjs';
import { AppConfig } from './src/app.config.ts';
import { InteractionsController } from './src/jobs-api/interactions.controller.ts';
import { apiDescription } from './src/service.ts';
import { WebhookController } from './src/webhook/webhook.controller.ts';

const controllers = [InteractionsController, WebhookController];
// Nothing is called here, so empty objects replace what the controllers and their guards inject.
const called = controllers.flatMap((controller) => Reflect.getMetadata('design:paramtypes', controller));
const providers = [...called, CallerAuth, AppConfig].map((provide) => ({ provide, useValue: {} }));
class ApiModule {}
const app = await NestFactory.create({ module: ApiModule, controllers, providers }, new FastifyAdapter(), {
  logger: ['error'],
  abortOnError: false,
});
const document = await openApiDocument(app, apiDescription);
await writeGenerated({ [new URL('openapi.json', import.meta.url).href]: JSON.stringify(document) });
