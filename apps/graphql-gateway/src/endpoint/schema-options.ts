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
 * Prepares the schema that Nest makes. It describes the root types and leaves out types that no operation reaches: Nest
 * knows the types of both endpoints. It also removes the resolvers that only read the property of the field's name.
 * GraphQL does that anyway, and a compiled query then saves about a thousand calls for a page.
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
