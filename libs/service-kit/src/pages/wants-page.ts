// Who gets a page instead of JSON: a person who opens an address in a browser. Programs send no Accept, `*/*`, or JSON
// first; those that name HTML by mistake, as Java does, send a token or another method than GET.
import accepts from 'accepts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Browsers name HTML before anything else. */
const namesHtmlFirst = /^\s*text\/html\b/i;

/** No browser sends more; weighing thousands of types would keep everybody else waiting. */
const acceptLengthMax = 1000;

/** Whether a page is the better answer to this request. */
export function wantsPage({ method, headers, raw }: FastifyRequest): boolean {
  const accept = headers.accept ?? '';
  return (
    isOfBrowser(method, headers.authorization) &&
    accept.length <= acceptLengthMax &&
    namesHtmlFirst.test(accept) &&
    accepts(raw).type(['json', 'html']) === 'html'
  );
}

/** Whether `Accept` decides how this request is answered; then caches must know. */
export function mayWantPage({ method, headers }: FastifyRequest): boolean {
  return isOfBrowser(method, headers.authorization);
}

/** A browser that opens an address sends GET and no token. */
function isOfBrowser(method: string, authorization: string | undefined): boolean {
  return (method === 'GET' || method === 'HEAD') && authorization === undefined;
}

/** Adds to `Vary` what the answer depends on, beside what it names already. */
export function addVary(reply: FastifyReply, ...names: string[]): void {
  const present = [reply.getHeader('vary') ?? []].flat().map(String);
  void reply.header('vary', [...new Set([...present.flatMap((text) => text.split(/\s*,\s*/)), ...names])].join(', '));
}
