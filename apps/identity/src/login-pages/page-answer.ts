// How the login pages are sent, and the pages that answer their failures.
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { isDatabaseUnavailable, Logger, pageHeaders } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from 'oidc-provider';
import { messagesFor, type PageMessages } from '../pages/page-messages.js';
import { errorPage, onwardFrom } from '../pages/pages.js';
import { contentSecurityPolicy } from '../pages/security-headers.js';

export interface PageAnswer {
  status: number;
  headers?: Record<string, string | string[]> | undefined;
  body?: string;
  /** A redirect instead of a page. */
  location?: string;
}

/** Sends a page or a redirect with the headers that all of them have. */
export function sendPage(reply: FastifyReply, { status, headers, body, location }: PageAnswer): void {
  void reply.headers({ ...pageHeaders, 'Cache-Control': 'no-store', ...headers });
  if (location !== undefined) void reply.redirect(location, 303);
  else void reply.code(status).type('text/html; charset=utf-8').send(body);
}

/** Answers every failure of a page with a page. */
@Catch()
export class PageErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const messages = messagesFor(undefined, request.headers['accept-language']);
    const status = statusOf(thrown);
    if (status === 500) this.logger.error({ err: thrown }, 'a page failed');
    sendPage(reply, {
      status,
      headers: {
        'Content-Security-Policy': contentSecurityPolicy(),
        ...(status === 503 ? { 'Retry-After': '5' } : {}),
        ...(thrown instanceof ServiceError ? thrown.headers : {}),
      },
      body: errorPage(messages, { ...wordsFor(status, messages), onward: onwardFrom(messages) }),
    });
  }
}

function statusOf(thrown: unknown): number {
  if (isDatabaseUnavailable(thrown)) return 503;
  if (thrown instanceof ServiceError) return thrown.status;
  if (thrown instanceof errors.OIDCProviderError && thrown.status < 500) return thrown.status;
  return 500;
}

function wordsFor(status: number, { errors: words }: PageMessages): { title: string; text: string } {
  if (status === 403) return words.forged;
  if (status === 404) return words.notFound;
  if (status === 503) return words.unavailable;
  return status >= 500 ? words.failed : words.expired;
}
