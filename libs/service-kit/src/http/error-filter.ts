// Turns every failure into a response: {message, error, statusCode}. A person who opens an address with nothing behind
// it gets a page.
import { STATUS_CODES } from 'node:http';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../database/database-failure.js';
import { Logger } from '../logger.js';
import { isError } from '../is-error.js';
import { notFoundPage } from '../pages/not-found-page.js';
import { pageLanguageOf } from '../pages/page-language.js';
import { sendPage } from '../pages/send-page.js';
import { addVary, mayWantPage, wantsPage } from '../pages/wants-page.js';

@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  /** GraphQL errors pass through: the gateway's formatter renders them. */
  catch(thrown: unknown, host: ArgumentsHost): unknown {
    if (host.getType<string>() !== 'http') return thrown;
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = toServiceError(thrown);
    logFailure(error, thrown, this.logger);
    // The response has begun, so the connection is broken: it ends before the length that the headers promised.
    if (reply.sent || reply.raw.headersSent) {
      reply.raw.destroy();
      return undefined;
    }
    for (const [name, value] of Object.entries(error.headers)) void reply.header(name, value);
    if (error.retryAfterSeconds !== undefined) void reply.header('retry-after', String(error.retryAfterSeconds));
    sendError(request, reply, error);
    return undefined;
  }
}

function sendError(request: FastifyRequest, reply: FastifyReply, error: ServiceError): void {
  if (error.status === 404 && wantsPage(request)) {
    const language = pageLanguageOf(request.headers['accept-language']);
    sendPage(reply, 404, notFoundPage(language, [error.publicMessage].flat().join(', ')));
    return;
  }
  // A cache that keeps this must not give it to a browser.
  if (error.status === 404 && mayWantPage(request)) addVary(reply, 'Accept', 'Accept-Language');
  void reply.code(error.status).type('application/json; charset=utf-8').send(errorBody(error));
}

/** What a client sees of a failure. The private cause is not part of it. */
export function errorBody(error: ServiceError): { message: string | string[]; error: string; statusCode: number } {
  return { message: error.publicMessage, error: STATUS_CODES[error.status] ?? 'Error', statusCode: error.status };
}

/** Any thrown value as a ServiceError. What nobody expected becomes `internal` with a neutral sentence. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof HttpException) return fromHttpException(thrown);
  const status = (thrown as { statusCode?: unknown } | null)?.statusCode;
  if (isError(thrown) && typeof status === 'number' && status >= 400 && status < 500) {
    return fromClientFault(thrown, status);
  }
  if (isDatabaseUnavailable(thrown)) return unavailable(thrown);
  return new ServiceError({ code: 'internal', status: 500, message: 'Internal server error', cause: thrown });
}

/** Logs bugs with their stack and broken dependencies with their cause. Faults of clients are not logged here. */
export function logFailure(error: ServiceError, thrown: unknown, logger: Logger): void {
  if (error.code === 'internal') logger.error({ err: thrown }, 'unexpected error');
  else if (error.status >= 500) logger.warn({ err: thrown, code: error.code }, 'a dependency failed');
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError({
    code: 'dependency.unavailable',
    status: 503,
    message: 'The service is temporarily unavailable',
    retryable: true,
    retryAfterSeconds: 5,
    cause,
  });
}

function fromHttpException(exception: HttpException): ServiceError {
  const status = exception.getStatus();
  // Nest wraps the router's errors and keeps them as the cause.
  const cause = exception.cause;
  if (status < 500 && isError(cause) && 'code' in cause) return fromClientFault(cause, status);
  if (status >= 500 && status !== 503) {
    return new ServiceError({ code: 'internal', status, message: STATUS_CODES[status] ?? 'Error', cause: exception });
  }
  const response = exception.getResponse();
  const given = typeof response === 'string' ? response : (response as { message?: unknown }).message;
  const message = typeof given === 'string' || isTexts(given) ? given : exception.message;
  return new ServiceError({ code: codeOf(status), status, message, cause: exception });
}

/**
 * Faults that Fastify finds before a handler runs. Its texts are for developers of the server, ours for its callers.
 */
function fromClientFault(fault: Error, status: number): ServiceError {
  const faultCode = (fault as { code?: unknown }).code;
  const message = () => {
    if (status === 413) return 'The body is larger than this service reads';
    if (status === 415) return 'The content type is not one that this address reads';
    if (faultCode === 'FST_ERR_BAD_URL') return 'The URL is malformed';
    return STATUS_CODES[status] ?? 'Bad Request';
  };
  return new ServiceError({ code: codeOf(status), status, message: message(), cause: fault });
}

function codeOf(status: number): ServiceError['code'] {
  switch (status) {
    case 401:
      return 'caller.unauthenticated';
    case 403:
      return 'caller.forbidden';
    case 404:
      return 'request.not_found';
    case 405:
      return 'request.method_not_allowed';
    case 413:
      return 'request.too_large';
    case 415:
      return 'request.unsupported_media_type';
    case 503:
      return 'dependency.unavailable';
    default:
      return 'request.invalid';
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
