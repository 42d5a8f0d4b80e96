// How a page is sent.
import type { FastifyReply } from 'fastify';
import { pageHeaders, pagePolicy } from './page-headers.js';
import { addVary } from './wants-page.js';

/** Sends a page without scripts that replaces JSON for browsers, in the language of the browser. */
export function sendPage(reply: FastifyReply, status: number, page: string): void {
  addVary(reply, 'Accept', 'Accept-Language');
  void reply
    .code(status)
    .headers({ ...pageHeaders, 'content-security-policy': pagePolicy(), 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(page);
}
