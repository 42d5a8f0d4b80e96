// What one GraphQL request carries from admission to its resolvers.
import type { ServiceError } from '@tradewind/shared-types';
import type { FastifyRequest } from 'fastify';
import type { GraphQLResolveInfo } from 'graphql';
import type { LimitState } from './limit-state.js';

/** Apollo copies the context for each operation. The copies share this one object, so changes to it are kept. */
export interface GraphQLContext {
  gateway: RequestContext;
}

/** A connection field that is being executed. */
export interface DataCall {
  args: Readonly<Record<string, unknown>>;
  info: GraphQLResolveInfo;
  /** Arguments that must come from a variable of their own name. */
  variableArguments: readonly string[];
}

/** Admission of the connection fields of one operation. */
export interface DataCalls {
  /**
   * What `understand` makes of the arguments, once all fields of the operation are understood and charged. Rejects with
   * the first fault of any of them, and when the data calls are not there; then nothing is charged.
   */
  admit: <T>(call: DataCall, understand: () => Promise<T>) => Promise<T>;
}

export interface RequestContext {
  request: FastifyRequest;
  ip: string;
  /** The key that was presented; set on /graphql. */
  apiKey: { id: string; prefix: string; userId: string } | null;
  /** Owner of the API key, or the logged-in user of a JWT; null for an anonymous log-in. */
  user: { id: string; email: string; credentialsVersion?: number; companyId?: string | null } | null;
  operationName: string | null;
  /** Admits the connection fields of an operation; null before it is executed, and for one that has none. */
  dataCalls: DataCalls | null;
  /**
   * Charges the request once its user is known; null when admission has charged it, or when nothing is to be charged.
   */
  chargeUser: (() => Promise<void>) | null;
  /** The limit that governs this request, after it was charged; null before that. */
  limit: LimitState | null;
  /** Gives back what was charged; set once something was. */
  refund: (() => Promise<void>) | null;
  /** A failure that is answered with the gateway body instead of a GraphQL one. */
  failed: { failure: ServiceError; thrown: unknown } | null;
  /** What the operation answers; null until it succeeds. */
  data: Record<string, unknown> | null;
  /** Fields to add to `extensions` of the answer. */
  extensions: Record<string, unknown>;
}
