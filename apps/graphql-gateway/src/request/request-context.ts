// What one GraphQL request carries from admission to its resolvers.
import type { ServiceError } from '@tradewind/shared-types';
import type { FastifyRequest } from 'fastify';
import type { LimitState } from './limit-state.js';

/** Apollo copies the context for each operation; the copy shares this one object, so that what it learns is not lost. */
export interface GraphQLContext {
  gateway: RequestContext;
}

export interface RequestContext {
  request: FastifyRequest;
  ip: string;
  /** The key that was presented; set on /graphql. */
  apiKey: { id: string; prefix: string; userId: string } | null;
  /** Owner of the API key, or the logged-in user of a JWT; null for an anonymous log-in. */
  user: { id: string; email: string; credentialsVersion?: number } | null;
  operationName: string | null;
  /** Arguments of the executed connection fields, understood and checked before anything is charged, by response key. */
  prepared: Map<string, unknown>;
  /** The limit that governs this request, after it was charged; null before that. */
  limit: LimitState | null;
  /** Gives back what was charged; set once something was. */
  refund: (() => Promise<void>) | null;
  /** A failure that is answered with the gateway body instead of a GraphQL one. */
  failed: { failure: ServiceError; thrown: unknown } | null;
  /** Additions to `extensions` of the answer. */
  extensions: Record<string, unknown>;
}
