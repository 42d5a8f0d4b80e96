// How the errors of an execution are answered. Faults of the caller stay GraphQL errors. Expected failures, such as a
// database that does not answer, and bugs are answered with the gateway body, without partial data.
import { toServiceError } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { GraphQLError } from 'graphql';

/** The failure among the errors, if there is one. */
export function failureOf(errors: readonly unknown[]): { failure: ServiceError; thrown: unknown } | undefined {
  const causes = errors.map(causeOf);
  const expected = causes.find((cause) => cause instanceof ServiceError);
  if (expected) return { failure: expected, thrown: expected };
  const thrown = causes.find((cause) => !isFault(cause));
  return thrown === undefined ? undefined : { failure: toServiceError(thrown), thrown };
}

function causeOf(error: unknown): unknown {
  if (!(error instanceof GraphQLError) || isFault(error)) return error;
  return error.originalError ? causeOf(error.originalError) : error;
}

/**
 * Every error about a request has a code. Errors that graphql-js raises during the execution have none, such as for a
 * null that the schema does not allow.
 */
function isFault(error: unknown): boolean {
  if (!(error instanceof GraphQLError)) return false;
  // Errors of compiled queries may have no extensions.
  const extensions = error.extensions as Record<string, unknown> | undefined;
  return typeof extensions?.['code'] === 'string';
}

/** 401 for a request without credentials. */
export function missingHeader(credential: string): ServiceError {
  return new ServiceError({
    code: 'caller.unauthenticated',
    status: 401,
    message: `Authorization header is missing; send "Authorization: Bearer <...>" with ${credential}`,
  });
}
