/** A refused or failed request to the data API, in one shape for both kinds of body. */
export class DataApiError extends Error {
  constructor(
    message: string,
    /** HTTP status. */
    readonly status: number,
    /** `extensions.code` of a GraphQL error, such as `BAD_USER_INPUT`; undefined for answers of the gateway. */
    readonly code: string | undefined,
    /** For 429 and 503: seconds after which a retry makes sense. */
    readonly retryAfterSeconds: number | undefined,
    /** Finds the request in the service's log. */
    readonly requestId: string | undefined,
  ) {
    super(message);
    this.name = 'DataApiError';
  }
}
