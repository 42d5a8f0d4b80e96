import type { FastifyReply } from 'fastify';
import { securityHeaders } from '../pages/security-headers.js';

export interface PageAnswer {
  status: number;
  headers?: Record<string, string> | undefined;
  body?: string;
  /** A redirect instead of a page. */
  location?: string;
}

/** Sends a page or a redirect with the headers that all of them have. */
export function sendPage(reply: FastifyReply, { status, headers, body, location }: PageAnswer): void {
  void reply.headers({ ...securityHeaders, 'Cache-Control': 'no-store', ...headers });
  if (location !== undefined) void reply.redirect(location, 303);
  else void reply.code(status).type('text/html; charset=utf-8').send(body);
}
