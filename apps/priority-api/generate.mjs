// openapi.json, from the controllers and their DTOs. Part of `npm run gen`.
import { CallerAuth, openApiDocument } from '@tradewind/service-kit';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { NestFactory } from '@nestjs/core';
import { PushAuthenticator } from '@tradewind/cloud-ports';
import { writeGenerated } from '../../tools/workspace/generated-files.mjs';
import { AppConfig } from './src/app.config.ts';
import { BatchesController } from './src/batches/batches.controller.ts';
import { MonthsController } from './src/months/months.controller.ts';
import { apiDescription } from './src/service.ts';

const controllers = [BatchesController, MonthsController];
// Nothing is called here, so empty objects replace what the controllers and their guards inject.
const called = controllers.flatMap((controller) => Reflect.getMetadata('design:paramtypes', controller));
const guards = [CallerAuth, PushAuthenticator, AppConfig];
const providers = [...called, ...guards].map((provide) => ({ provide, useValue: {} }));
class ApiModule {}
const app = await NestFactory.create({ module: ApiModule, controllers, providers }, new FastifyAdapter(), {
  logger: ['error'],
  abortOnError: false,
});
const document = await openApiDocument(app, apiDescription);
await writeGenerated({ [new URL('openapi.json', import.meta.url).href]: JSON.stringify(document) });
