// The two schemas without a running gateway: for the committed schema files and for their checks.
import { NestFactory } from '@nestjs/core';
import { GraphQLSchemaBuilderModule, GraphQLSchemaFactory } from '@nestjs/graphql';
import type { GraphQLSchema } from 'graphql';
import { ApiKeysResolver } from './api-keys/api-keys.resolver.js';
import { LoginResolver } from './login/login.resolver.js';
import { reachable } from './endpoint/schema-options.js';
import { recordResolvers } from './records/records.module.js';

export async function buildSchemas(): Promise<{ data: GraphQLSchema; auth: GraphQLSchema }> {
  const app = await NestFactory.createApplicationContext(GraphQLSchemaBuilderModule, { logger: false });
  const factory = app.get(GraphQLSchemaFactory);
  const data = reachable(await factory.create(recordResolvers));
  const auth = reachable(await factory.create([LoginResolver, ApiKeysResolver]));
  await app.close();
  return { data, auth };
}
