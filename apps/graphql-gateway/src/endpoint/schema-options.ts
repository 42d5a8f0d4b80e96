import type { ApolloDriverConfig } from '@nestjs/apollo';
import { GraphQLSchema } from 'graphql';

/** What both schemas share. The schema is made in memory; `npm run gen` writes the committed files from it. */
export const schemaOptions = {
  autoSchemaFile: true,
  transformSchema: reachable,
  graphiql: false,
  autoTransformHttpErrors: false,
  preserveHttpStatusForExecutionErrors: false,
  fieldResolverEnhancers: [],
} satisfies Partial<ApolloDriverConfig>;

/** The schema without types that its operations cannot reach: Nest knows the types of both endpoints, and describes no roots. */
export function reachable(schema: GraphQLSchema): GraphQLSchema {
  const query = schema.getQueryType();
  const mutation = schema.getMutationType();
  if (query) query.description = 'What can be read.';
  if (mutation) mutation.description = 'What can be done.';
  return new GraphQLSchema({
    query,
    mutation,
    directives: schema.getDirectives(),
  });
}
