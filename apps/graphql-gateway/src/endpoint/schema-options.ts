import type { ApolloDriverConfig } from '@nestjs/apollo';
import { GraphQLSchema, isIntrospectionType, isObjectType } from 'graphql';

/** What both schemas share. The schema is made in memory; `npm run gen` writes the committed files from it. */
export const schemaOptions = {
  autoSchemaFile: true,
  transformSchema: reachable,
  graphiql: false,
  autoTransformHttpErrors: false,
  preserveHttpStatusForExecutionErrors: false,
  fieldResolverEnhancers: [],
} satisfies Partial<ApolloDriverConfig>;

/**
 * The schema without types that its operations cannot reach: Nest knows the types of both endpoints, and describes no
 * roots. And without the function that Nest gives every field to read the property of its name: GraphQL does so by
 * itself, and a compiled query then reads a thousand properties of a page where it would make a thousand calls.
 */
export function reachable(schema: GraphQLSchema): GraphQLSchema {
  const query = schema.getQueryType();
  const mutation = schema.getMutationType();
  if (query) query.description = 'What can be read.';
  if (mutation) mutation.description = 'What can be done.';
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type) || type === query || type === mutation) continue;
    for (const field of Object.values(type.getFields())) delete field.resolve;
  }
  return new GraphQLSchema({
    query,
    mutation,
    directives: schema.getDirectives(),
  });
}
