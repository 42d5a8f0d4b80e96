// The single-profile API: one profile in, one webhook out. Not idempotent, like the real ones; after a lost answer the
// caller asks for the correlation id.
import type { FastifyInstance } from 'fastify';
import type { Faults, Subject } from './faults.js';
import { scrapeBody, type Profiles } from './profiles.js';
import type { ProfileScrapeRequest, Scrape } from './scrape.types.js';
import { errorAnswer, type ProviderCalls, type Refusals } from './provider-call.js';

interface Parts {
  Params: { id: string };
  Querystring: { correlation_id?: string; limit?: string };
}

const refusals: Refusals = {
  unauthorised: errorAnswer(401, 'unauthorised', 'The token is not valid'),
  rateLimited: errorAnswer(429, 'rate-limited', 'Too many requests'),
  noCapacity: errorAnswer(429, 'no-capacity', 'All slots are taken'),
};

export function registerProfileApi(
  app: FastifyInstance,
  { profiles, faults, calls }: { profiles: Profiles; faults: Faults; calls: ProviderCalls },
): void {
  const url = '/v1/profile-scrapes';
  const subjectOf = ({ username: target, correlationId, id }: Scrape): Subject => ({ target, correlationId, id });
  calls.register<Parts>(app, refusals, [
    {
      method: 'POST',
      url,
      operation: 'profile.start',
      subject: ({ body }) => {
        const read = readRequest(body);
        return typeof read === 'string' ? undefined : { target: read.username, correlationId: read.correlationId };
      },
      act: async ({ body }) => {
        const read = readRequest(body);
        if (typeof read === 'string') return errorAnswer(400, 'invalid-request', read);
        if (!profiles.hasRoom()) return { ...refusals.noCapacity, headers: { 'retry-after': '1' } };
        const scrape = profiles.start(read);
        if (faults.strikeEvent('profile.webhook', subjectOf(scrape), ['before_answer']).length > 0)
          await profiles.endNow(scrape);
        return { status: 202, body: { id: scrape.id, status: scrape.status }, effect: true, id: scrape.id };
      },
    },
    {
      method: 'GET',
      url,
      operation: 'profile.list',
      subject: ({ query }) => ({ correlationId: query.correlation_id }),
      act: ({ query }) => {
        const limit = Math.min(Number(query.limit ?? 100) || 100, 1000);
        const found = profiles.list(query.correlation_id).slice(0, limit);
        return { status: 200, body: { scrapes: found.map((scrape) => scrapeBody(scrape, profiles.result(scrape))) } };
      },
    },
    {
      method: 'GET',
      url: `${url}/:id`,
      operation: 'profile.get',
      subject: ({ params }) => {
        const scrape = profiles.find(params.id);
        return scrape && subjectOf(scrape);
      },
      act: ({ params }) => {
        const scrape = profiles.find(params.id);
        if (!scrape) return errorAnswer(404, 'not-found', 'There is no such scrape');
        return { status: 200, body: scrapeBody(scrape, profiles.result(scrape)), id: scrape.id };
      },
    },
  ]);
}

/** The request, or the sentence that says what is wrong with it. */
function readRequest(body: unknown): ProfileScrapeRequest | string {
  const { username, webhook_url, webhook_headers = {}, correlation_id } = (body ?? {}) as Record<string, unknown>;
  if (typeof username !== 'string' || username.trim() === '') return 'username must be a text that is not empty';
  if (typeof webhook_url !== 'string' || !URL.canParse(webhook_url)) return 'webhook_url must be an address';
  if (
    typeof webhook_headers !== 'object' ||
    webhook_headers === null ||
    !Object.values(webhook_headers).every((value) => typeof value === 'string')
  ) {
    return 'webhook_headers must be an object of texts';
  }
  if (correlation_id !== undefined && typeof correlation_id !== 'string') return 'correlation_id must be a text';
  return {
    username,
    webhookUrl: webhook_url,
    webhookHeaders: webhook_headers as Record<string, string>,
    correlationId: correlation_id,
  };
}
