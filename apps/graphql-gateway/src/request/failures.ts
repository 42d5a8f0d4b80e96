// How the errors of an execution are answered. Faults of the caller stay GraphQL errors. Expected failures
// (ServiceError) and bugs are answered with the gateway body, without partial data.
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
  // An error with a code is one that this program raised about the request. Errors of compiled queries may have no
  // extensions.
  const extensions = error.extensions as Record<string, unknown> | undefined;
  if (typeof extensions?.['code'] === 'string') return error;
  return error.originalError ? causeOf(error.originalError) : error;
}

/** 401 for a request without credentials. */
export function missingHeader(credential: string): ServiceError {
  return new ServiceError({
    code: 'caller.unauthenticated',
    status: 401,
    message: `Authorization header is missing; send "Authorization: Bearer <...>" with ${credential}`,
  });
}
