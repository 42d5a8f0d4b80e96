// What the errors of an execution mean for the answer. Faults of the caller stay GraphQL errors; failures that we
// expect (ServiceError) and bugs are answered with the gateway body, and then there is no partial data.
import { ServiceError } from '@tradewind/shared-types';
import { GraphQLError } from 'graphql';

/** The failure among the errors, if there is one. */
export function failureOf(errors: readonly unknown[]): { failure: ServiceError; thrown: unknown } | undefined {
  const causes = errors.map(causeOf);
  const expected = causes.find((cause) => cause instanceof ServiceError);
  if (expected) return { failure: expected, thrown: expected };
  const [bug] = causes.filter((cause) => !(cause instanceof GraphQLError));
  if (bug === undefined) return undefined;
  return {
    failure: new ServiceError({ code: 'internal', status: 500, message: 'Internal server error', cause: bug }),
    thrown: bug,
  };
}

function causeOf(error: unknown): unknown {
  if (!(error instanceof GraphQLError)) return error;
  // An error with a code is one that this program raised about the request. Errors of compiled queries may have no extensions.
  const extensions = error.extensions as Record<string, unknown> | undefined;
  if (typeof extensions?.['code'] === 'string') return error;
  return error.originalError ? causeOf(error.originalError) : error;
}
