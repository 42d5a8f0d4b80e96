// The two schemas without a running gateway: for the committed schema files and for whoever checks them.
import { NestFactory } from '@nestjs/core';
import { GraphQLSchemaBuilderModule, GraphQLSchemaFactory } from '@nestjs/graphql';
import type { GraphQLSchema } from 'graphql';
import { ApiKeysResolver } from './api-keys/api-keys.resolver.js';
import { CompaniesResolver } from './records/companies/companies.resolver.js';
import { ContactsResolver } from './records/contacts/contacts.resolver.js';
import { DealsResolver } from './records/deals/deals.resolver.js';
import { LoginResolver } from './login/login.resolver.js';
import { reachable } from './endpoint/schema-options.js';
import { PersonsResolver } from './records/persons/persons.resolver.js';

/** Resolvers of /graphql and of /auth/graphql; the modules of the endpoints provide the same ones. */
export const dataResolvers = [CompaniesResolver, PersonsResolver, DealsResolver, ContactsResolver];
export const authResolvers = [LoginResolver, ApiKeysResolver];

export async function buildSchemas(): Promise<{ data: GraphQLSchema; auth: GraphQLSchema }> {
  const app = await NestFactory.createApplicationContext(GraphQLSchemaBuilderModule, { logger: false });
  const factory = app.get(GraphQLSchemaFactory);
  const data = reachable(await factory.create(dataResolvers));
  const auth = reachable(await factory.create(authResolvers));
  await app.close();
  return { data, auth };
}
