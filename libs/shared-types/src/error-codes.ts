/**
 * Every failure the platform expects, by its stable code, with one line of explanation.
 * A code is never reused or renamed; docs/errors.md is generated from this list.
 */
export const errorCodes = {
  'request.invalid': 'The request breaks a rule that the message names.',
  'request.not_found': 'Nothing is served or stored under this address.',
  'request.method_not_allowed': 'The path exists, the method does not; see the Allow header.',
  'request.too_large': 'The body is larger than the limit of this endpoint.',
  'request.unsupported_media_type': 'The content type is not one that this endpoint reads.',
  'request.conflict': 'What is stored already rules this out, such as a name that is taken; the message says what.',
  'request.idempotency_key': 'The Idempotency-Key was used for another request before; a new request needs a new one.',
  'caller.unauthenticated': 'The caller presented no credential, or one that is not valid.',
  'caller.forbidden': 'The caller is known and is not allowed to do this.',
  'dependency.unavailable': 'A service or store that this request needs does not answer.',
  'service.overloaded': 'This pod works on as many requests of the route as it may; see Retry-After.',
  'data.too_slow': 'A filter of the data API ran longer than the statement timeout; narrow it.',
  'data.busy': 'Too many slow filters of the data API are under way in this pod; see Retry-After.',
  'rate_limit.data': 'The data calls of this user and day are used up.',
  'rate_limit.requests': 'Too many requests in 60 seconds, from this network or by this user.',
  'rate_limit.refused_keys': 'Too many keys or JWTs from this network were refused in 60 seconds; see Retry-After.',
  'rate_limit.login': 'Too many failed log-ins, of this account or from this network.',
  'transport.insecure': 'Production accepts https only.',
  'provider.refused': 'The scraping provider refused a request; the settings or the account need attention.',
  'key.ended': 'The API key has been revoked, rotated or has expired, so it cannot be rotated.',
  'run.active': 'A monthly run is under way; only one may be at a time.',
  internal: 'A fault of the service; the request id finds it in the log.',
  'identity.credentials': 'The email address or the password is wrong; the answer does not say which.',
  'identity.login_throttled': 'Too many failed logins of this account or from this network; see Retry-After.',
  'identity.second_factor_needed':
    'The password is right, and the account needs a second factor, which this login cannot ask for.',
  'identity.form_forged': 'The form of a login page came without the token that was put into it.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** Codes of GraphQL errors, which are faults of the request; their names are those that GraphQL servers share. */
export const graphqlErrorCodes = {
  GRAPHQL_VALIDATION_FAILED: 'The query cannot be parsed, is not valid for the schema, or is too large.',
  BAD_USER_INPUT: 'A variable, filter, sorter, cursor or other value is wrong; the message names it.',
  INTERNAL_SERVER_ERROR: 'A filter is not in the variable of its name; the message shows the right request.',
  OPERATION_RESOLUTION_FAILURE: 'The query has several operations, or none, of the name that the request asks for.',
  BAD_REQUEST:
    'The HTTP request is no GraphQL request: no query, a batch, a mutation by GET, or a GET without a token.',
  PERSISTED_QUERY_NOT_SUPPORTED: 'The request has the hash of a query in place of its text; send the text.',
} as const;
