// The single-profile API: one profile in, one webhook out. Not idempotent, like its models; a lost answer is cleared up
// by asking for the correlation id.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallOperation, Faults, Subject } from './faults.js';
import { scrapeBody, type Profiles } from './profiles.js';
import type { ProfileScrapeRequest, Scrape } from './scrape.types.js';
import type { CallAnswer, ProviderCalls, Refusal } from './provider-call.js';
import type { SimulatorSettings } from './settings.js';

type Request = FastifyRequest<{ Params: { id: string }; Querystring: { correlation_id?: string; limit?: string } }>;

export function registerProfileApi(
  app: FastifyInstance,
  parts: { settings: () => SimulatorSettings; profiles: Profiles; faults: Faults; calls: ProviderCalls },
): void {
  const { settings, profiles, faults, calls } = parts;
  const path = '/v1/profile-scrapes';

  const route = (
    method: 'GET' | 'POST',
    url: string,
    operation: CallOperation,
    subjectOf: (request: Request) => Subject,
    act: (request: Request) => CallAnswer | Promise<CallAnswer>,
  ) => {
    app.route({
      method,
      url,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const typed = request as Request;
        const { token } = settings();
        const isAuthorised = token === undefined || request.headers.authorization === `Bearer ${token}`;
        return calls.handle(request, reply, {
          operation,
          subject: subjectOf(typed),
          act: () => (isAuthorised ? act(typed) : profileError(401, 'unauthorised', 'The token is not valid')),
          refuse,
        });
      },
    });
  };
  const subjectOfScrape = (scrape: Scrape | undefined): Subject =>
    scrape ? { target: scrape.username, correlationId: scrape.correlationId, id: scrape.id } : {};

  route(
    'POST',
    path,
    'profile.start',
    (request) => {
      const read = readRequest(request.body);
      return typeof read === 'string' ? {} : { target: read.username, correlationId: read.correlationId };
    },
    async (request) => {
      const read = readRequest(request.body);
      if (typeof read === 'string') return profileError(400, 'invalid-request', read);
      if (!profiles.hasRoom()) return { ...noRoom(), headers: { 'retry-after': '1' } };
      const scrape = profiles.start(read);
      if (faults.strikeEvent('profile.webhook', subjectOfScrape(scrape), ['before_answer']).length > 0)
        await profiles.endNow(scrape);
      return { status: 202, body: { id: scrape.id, status: scrape.status }, effect: true, id: scrape.id };
    },
  );

  route(
    'GET',
    path,
    'profile.list',
    (request) => ({ correlationId: request.query.correlation_id }),
    (request) => {
      const limit = Math.min(Number(request.query.limit ?? 100) || 100, 1000);
      const found = profiles.list(request.query.correlation_id).slice(0, limit);
      return { status: 200, body: { scrapes: found.map((scrape) => scrapeBody(scrape, profiles.result(scrape))) } };
    },
  );

  route(
    'GET',
    `${path}/:id`,
    'profile.get',
    (request) => subjectOfScrape(profiles.find(request.params.id)),
    (request) => {
      const scrape = profiles.find(request.params.id);
      if (!scrape) return profileError(404, 'not-found', 'There is no such scrape');
      return { status: 200, body: scrapeBody(scrape, profiles.result(scrape)), id: scrape.id };
    },
  );
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

const refuse: Refusal = (kind, fault) => {
  const headers: Record<string, string> =
    fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) };
  switch (kind) {
    case 'rate_limited':
      return { ...profileError(429, 'rate-limited', 'Too many requests'), headers };
    case 'no_capacity':
      return { ...noRoom(), headers };
    case 'error':
      return profileError(fault.status ?? 500, 'internal-error', 'Internal server error');
  }
};

function noRoom(): CallAnswer {
  return profileError(429, 'no-capacity', 'All slots are taken');
}

function profileError(status: number, type: string, message: string): CallAnswer {
  return { status, body: { error: { type, message } } };
}
