import { GraphQLError } from 'graphql';

/** The caller's values are wrong: HTTP 400, `BAD_USER_INPUT`. */
export function userInputError(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } } });
}
