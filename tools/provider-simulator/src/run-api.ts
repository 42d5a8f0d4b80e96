// The run platform's HTTP API (Apify v2), as far as its official client needs it to start, watch, abort and read runs.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallOperation, Faults, Subject } from './faults.js';
import type { Item } from './item.types.js';
import type { CallAnswer, ProviderCalls, Refusal } from './provider-call.js';
import { runBody, userId } from './run-body.js';
import type { AdHocWebhook, Run, RunLimits } from './run.types.js';
import { subjectOfStart, type Runs } from './runs.js';
import type { SimulatorSettings } from './settings.js';

interface Query {
  webhooks?: string;
  maxItems?: string;
  maxTotalChargeUsd?: string;
  waitForFinish?: string;
  offset?: string;
  limit?: string;
  desc?: string;
  status?: string;
  startedAfter?: string;
  startedBefore?: string;
  format?: string;
  clean?: string;
  skipEmpty?: string;
  skipHidden?: string;
  fields?: string;
  omit?: string;
  gracefully?: string;
  token?: string;
}
type Request = FastifyRequest<{ Params: { id: string; key: string }; Querystring: Query }>;

export function registerRunApi(
  app: FastifyInstance,
  parts: { settings: () => SimulatorSettings; runs: Runs; faults: Faults; calls: ProviderCalls },
): void {
  const { settings, runs, faults, calls } = parts;

  const route = (
    method: 'GET' | 'POST',
    paths: string[],
    operation: CallOperation,
    subjectOf: (request: Request) => Subject,
    act: (request: Request) => CallAnswer | Promise<CallAnswer>,
  ) => {
    for (const url of paths) {
      app.route({
        method,
        url,
        handler: async (request: FastifyRequest, reply: FastifyReply) => {
          const typed = request as Request;
          return calls.handle(request, reply, {
            operation,
            subject: subjectOf(typed),
            act: () => (isAuthorised(typed, settings().token) ? act(typed) : unauthorised),
            refuse,
          });
        },
      });
    }
  };

  const subjectOfRun = (run: Run | undefined): Subject =>
    run ? { target: run.target, correlationId: run.correlationId, id: run.id } : {};
  const withRun = (run: Run | undefined, what: string, answer: (run: Run) => CallAnswer | Promise<CallAnswer>) =>
    run ? answer(run) : recordNotFound(what);

  route(
    'POST',
    ['/v2/actors/:id/runs', '/v2/acts/:id/runs'],
    'run.start',
    (request) => subjectOfStart(inputOf(request), webhooksOf(request.query.webhooks) ?? []),
    async (request) => {
      const webhooks = webhooksOf(request.query.webhooks);
      if (!webhooks)
        return apiError(400, 'invalid-value', 'The webhooks parameter is not base64 of a list of webhooks');
      if (!runs.hasRoom()) return noRoom();
      const run = runs.start(request.params.id, inputOf(request), webhooks, limitsOf(request.query));
      const subject = subjectOfRun(run);
      if (faults.strikeEvent('run.webhook', subject, ['before_answer']).length > 0) await runs.endNow(run);
      await runs.waitForEnd(run, waitMs(request.query.waitForFinish));
      return { status: 201, body: { data: runBody(run) }, effect: true, id: run.id };
    },
  );

  route(
    'GET',
    ['/v2/actors/:id/runs', '/v2/acts/:id/runs', '/v2/actor-runs'],
    'run.list',
    () => ({}),
    ({ params, query }) => {
      const found = runs.list({
        actorId: params.id,
        statuses: query.status?.split(','),
        startedAfter: query.startedAfter === undefined ? undefined : new Date(query.startedAfter),
        startedBefore: query.startedBefore === undefined ? undefined : new Date(query.startedBefore),
      });
      if (isSet(query.desc)) found.reverse();
      const page = slice(found, query, 1000);
      return { status: 200, body: { data: { ...page, desc: isSet(query.desc), items: page.items.map(runBody) } } };
    },
  );

  route(
    'GET',
    ['/v2/actor-runs/:id'],
    'run.get',
    (request) => subjectOfRun(runs.find(request.params.id)),
    (request) =>
      withRun(runs.find(request.params.id), 'Actor run', async (run) => {
        await runs.waitForEnd(run, waitMs(request.query.waitForFinish));
        return { status: 200, body: { data: runBody(run) }, id: run.id };
      }),
  );

  route(
    'POST',
    ['/v2/actor-runs/:id/abort'],
    'run.abort',
    (request) => subjectOfRun(runs.find(request.params.id)),
    (request) =>
      withRun(runs.find(request.params.id), 'Actor run', (run) => {
        const effect = runs.abort(run);
        return { status: 200, body: { data: runBody(run) }, effect, id: run.id };
      }),
  );

  route(
    'GET',
    ['/v2/key-value-stores/:id/records/:key', '/v2/actor-runs/:id/key-value-store/records/:key'],
    'run.input',
    (request) => subjectOfRun(runs.findByInputStore(request.params.id) ?? runs.find(request.params.id)),
    ({ params }) => {
      const run = runs.findByInputStore(params.id) ?? runs.find(params.id);
      if (!run || params.key !== 'INPUT') return recordNotFound('Record');
      return { status: 200, body: run.input, id: run.id };
    },
  );

  route(
    'GET',
    ['/v2/datasets/:id/items', '/v2/actor-runs/:id/dataset/items'],
    'dataset.items',
    (request) => subjectOfRun(runs.findByDataset(request.params.id) ?? runs.find(request.params.id)),
    (request) =>
      withRun(runs.findByDataset(request.params.id) ?? runs.find(request.params.id), 'Dataset', (run) =>
        itemsAnswer(runs.items(run), run, request.query),
      ),
  );

  // Never made to fail: nobody depends on them, but the client's conveniences ask for them.
  app.get<{ Params: { id: string } }>('/v2/datasets/:id', async (request, reply) => {
    const run = runs.findByDataset(request.params.id);
    if (!run) return reply.code(404).send(recordNotFound('Dataset').body);
    return {
      data: { id: run.datasetId, userId, itemCount: runs.items(run).length, actRunId: run.id, actId: run.actorId },
    };
  });
  for (const url of ['/v2/actors/:id', '/v2/acts/:id']) {
    app.get<{ Params: { id: string } }>(url, async (request) => {
      const [username = '', name = ''] = request.params.id.split('~');
      return { data: { id: request.params.id, userId, username, name, isPublic: true } };
    });
  }
  for (const url of ['/v2/logs/:id', '/v2/actor-runs/:id/log']) {
    app.get(url, async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send('Simulated run: no log is kept.\n'),
    );
  }
  app.get('/v2/users/me', async () => ({
    data: { id: userId, username: 'simulator', plan: { maxConcurrentActorRuns: settings().maxConcurrentRuns } },
  }));
}

function itemsAnswer(all: readonly unknown[], run: Run, query: Query): CallAnswer {
  const isClean = isSet(query.clean);
  const ordered = isSet(query.desc) ? [...all].reverse() : [...all];
  const page = slice(ordered, query, 250_000);
  const fields = query.fields?.split(',');
  const omitted = query.omit?.split(',') ?? [];
  const items = page.items
    .filter((item) => !(isClean || isSet(query.skipEmpty)) || (isRecord(item) && Object.keys(item).length > 0))
    .map((item) => {
      if (!isRecord(item)) return item;
      const kept = Object.entries(item).filter(
        ([name]) =>
          (fields === undefined || fields.includes(name)) &&
          !omitted.includes(name) &&
          !((isClean || isSet(query.skipHidden)) && name.startsWith('#')),
      );
      return Object.fromEntries(kept);
    });
  const headers = {
    'x-apify-pagination-total': String(page.total),
    'x-apify-pagination-offset': String(page.offset),
    'x-apify-pagination-limit': String(page.limit),
    'x-apify-pagination-count': String(page.items.length),
    'x-apify-pagination-desc': String(isSet(query.desc)),
  };
  switch (query.format ?? 'json') {
    case 'json':
      return { status: 200, body: items, headers, id: run.id };
    case 'jsonl':
      return {
        status: 200,
        body: items.map((item) => `${JSON.stringify(item)}\n`).join(''),
        headers,
        contentType: 'application/jsonl; charset=utf-8',
        id: run.id,
      };
    default:
      return apiError(
        400,
        'invalid-value',
        `The simulator does not write format ${query.format ?? ''}; use json or jsonl`,
      );
  }
}

function slice<T>(all: readonly T[], query: Query, limitMax: number) {
  const offset = Math.max(0, Number(query.offset ?? 0) || 0);
  const limit = Math.min(Number(query.limit ?? 0) || limitMax, limitMax);
  const items = all.slice(offset, offset + limit);
  return { total: all.length, offset, limit, count: items.length, items };
}

function inputOf(request: FastifyRequest): Item {
  return isRecord(request.body) ? request.body : {};
}

/** Undefined when the parameter cannot be read. */
function webhooksOf(parameter: string | undefined): AdHocWebhook[] | undefined {
  if (parameter === undefined || parameter === '') return [];
  try {
    const parsed: unknown = JSON.parse(Buffer.from(parameter, 'base64').toString('utf8'));
    const isWebhook = (value: unknown) =>
      isRecord(value) && typeof value['requestUrl'] === 'string' && Array.isArray(value['eventTypes']);
    return Array.isArray(parsed) && parsed.every(isWebhook) ? (parsed as AdHocWebhook[]) : undefined;
  } catch {
    return undefined;
  }
}

function limitsOf({ maxItems, maxTotalChargeUsd }: Query): RunLimits {
  return {
    ...(maxItems === undefined ? {} : { maxItems: Number(maxItems) }),
    ...(maxTotalChargeUsd === undefined ? {} : { maxTotalChargeUsd: Number(maxTotalChargeUsd) }),
  };
}

function isAuthorised(request: Request, token: string | undefined): boolean {
  return token === undefined || request.headers.authorization === `Bearer ${token}` || request.query.token === token;
}

const refuse: Refusal = (kind, fault) => {
  const headers: Record<string, string> =
    fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) };
  switch (kind) {
    case 'rate_limited':
      return {
        ...apiError(429, 'rate-limit-exceeded', 'You have exceeded the rate limit of requests per second'),
        headers,
      };
    case 'no_capacity':
      return { ...noRoom(), headers };
    case 'error':
      return apiError(fault.status ?? 500, 'internal-error', 'Internal server error');
  }
};

function noRoom(): CallAnswer {
  return apiError(400, 'concurrent-runs-limit-exceeded', 'You would exceed the number of concurrent runs of your plan');
}

function recordNotFound(what: string): CallAnswer {
  return apiError(404, 'record-not-found', `${what} was not found`);
}

const unauthorised = apiError(
  401,
  'user-or-token-not-found',
  'User was not found or authentication token is not valid',
);

function apiError(status: number, type: string, message: string): CallAnswer {
  return { status, body: { error: { type, message } } };
}

/** Seconds in the query; the real platform waits at most 60. */
function waitMs(seconds: string | undefined): number {
  return Math.min(60, Math.max(0, Number(seconds ?? 0) || 0)) * 1000;
}

function isSet(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
