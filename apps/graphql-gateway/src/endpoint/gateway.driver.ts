// Apollo Server under Nest, with the gateway's own handler in place of the usual one. The specification asks for HTTP
// errors with REST bodies around a GraphQL answer. That is decided here, not in resolvers.
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLFormattedError, GraphQLSchema } from 'graphql';
import { policyHeader } from '../rate-limit/limit-headers.js';
import { documentLimits, tokensMax, validationErrorsMax } from './document-limits.js';
import type { GraphQLEndpoint } from './graphql-endpoint.js';
import { parsedDocuments } from './parsed-documents.js';
import type { GraphQLContext } from '../request/request-context.js';
import { validationHint } from './request-hints.js';

/** What the modules of the two endpoints configure. */
export interface GatewayDriverConfig extends ApolloDriverConfig {
  path: string;
  operations: ApolloServerPlugin<GraphQLContext>;
  endpoint: (server: ApolloServer<GraphQLContext>) => GraphQLEndpoint;
}

@Injectable()
export class GatewayDriver extends ApolloDriver {
  override async registerServer(options: ApolloDriverConfig): Promise<void> {
    const { schema, path, operations, endpoint } = options as GatewayDriverConfig;
    const server = new ApolloServer<GraphQLContext>({
      schema: schema!,
      plugins: [
        operations,
        // Cache control would wrap every field of every answer, and no field here has a hint.
        ApolloServerPluginCacheControlDisabled(),
        ApolloServerPluginLandingPageDisabled(),
      ],
      validationRules: [documentLimits],
      validationOptions: { maxErrors: validationErrorsMax },
      parseOptions: { maxTokens: tokensMax },
      introspection: true,
      csrfPrevention: true,
      allowBatchedHttpRequests: false,
      persistedQueries: false,
      documentStore: parsedDocuments(),
      includeStacktraceInErrorResponses: false,
      hideSchemaDetailsFromClientErrors: true,
      stopOnTerminationSignals: false,
      nodeEnv: 'production',
      formatError: (formatted) => formatError(schema!, formatted),
      stringifyResult: (value) => JSON.stringify(value),
    });
    await server.start();
    // The base class stops it when the application ends.
    this.apolloServer = server as unknown as ApolloServer;
    const handler = endpoint(server);
    const fastify = this.httpAdapterHost.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onSend', (request, reply, _payload, done) => {
      if (reply.hasHeader(policyHeader) || pathOf(request) !== path) return done();
      // The counters are away, or an overloaded service must not ask them about requests that it refuses.
      if (reply.statusCode === 503) return done();
      handler.addLimits(request, reply).then(() => done(), done);
    });
    fastify.route({
      method: ['GET', 'POST'],
      url: path,
      handler: (request: FastifyRequest, reply: FastifyReply) => handler.handle(request, reply),
    });
  }
}

/** As the router sees it: without the query and a last slash. */
function pathOf({ url }: FastifyRequest): string {
  const path = url.split('?', 1)[0]!;
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Apollo gives parse errors a code of their own; to the users of this API an invalid query is an invalid query. */
function formatError(schema: GraphQLSchema, formatted: GraphQLFormattedError): GraphQLFormattedError {
  const { message, extensions } = formatted;
  switch (extensions?.['code']) {
    case 'GRAPHQL_PARSE_FAILED':
      return { ...formatted, extensions: { ...extensions, code: 'GRAPHQL_VALIDATION_FAILED' } };
    case 'GRAPHQL_VALIDATION_FAILED':
      return { ...formatted, message: `${message}${validationHint(schema, message)}` };
    default:
      return formatted;
  }
}
