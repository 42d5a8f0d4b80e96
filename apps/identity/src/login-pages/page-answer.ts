import type { FastifyReply } from 'fastify';
import type { PageAnswer } from './login-pages.service.js';
import { securityHeaders } from '../pages/security-headers.js';

/** Sends what a login page came to, with the headers that every one of them has. */
export function answer(reply: FastifyReply, { status, headers, body, location }: PageAnswer): void {
  void reply.headers({ ...securityHeaders, 'Cache-Control': 'no-store', ...headers });
  if (location !== undefined) void reply.redirect(location, 303);
  else void reply.code(status).type('text/html; charset=utf-8').send(body);
}
