import type { ExecutionResult } from 'graphql';
import type { GraphQLContext } from './request-context.js';

/** A compiled operation of a document that Apollo Server found valid. */
export interface RepeatableOperation {
  /** The text of the document. */
  source: string;
  /** Its name; null without one. */
  name: string | null;
  /** `operationName` of the request that asked for it. */
  askedAs: string | null;
  /** Admits and executes it; undefined for variables that it does not accept. */
  execute: (
    variables: Readonly<Record<string, unknown>>,
    context: GraphQLContext,
  ) => Promise<ExecutionResult | undefined>;
}
