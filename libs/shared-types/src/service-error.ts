import type { ErrorCode } from './error-codes.js';

export interface ServiceErrorOptions {
  code: ErrorCode;
  /** HTTP status of the answer. */
  status: number;
  /** Public sentence, or one per broken rule. Never holds the private cause. */
  message: string | string[];
  /** Whether the same request can succeed later. */
  retryable?: boolean;
  /** Seconds after which a retry makes sense; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** Further response headers, such as `Allow` or `WWW-Authenticate`. */
  headers?: Record<string, string>;
  /** Private: logged, never sent. */
  cause?: unknown;
}

/**
 * A failure we expect. One filter renders it: `{message, error, statusCode}` over REST, `extensions.code` over GraphQL.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly publicMessage: string | string[];
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Record<string, string>;

  constructor(options: ServiceErrorOptions) {
    const message = Array.isArray(options.message) ? options.message.join('; ') : options.message;
    super(message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = options.code;
    this.status = options.status;
    this.publicMessage = options.message;
    this.retryable = options.retryable ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers ?? {};
  }
}
