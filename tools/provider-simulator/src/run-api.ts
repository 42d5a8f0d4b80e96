// The run platform's HTTP API (Apify v2), as far as its official client needs it to start, watch, abort and read runs.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Faults, Subject } from './faults.js';
import type { Item } from './item.types.js';
import { type CallAnswer, errorAnswer, type ProviderCalls, type Refusals } from './provider-call.js';
import { runBody } from './run-body.js';
import type { AdHocWebhook, Run, RunLimits } from './run.types.js';
import { subjectOfStart, type Runs } from './runs.js';

interface Query {
  webhooks?: string;
  maxItems?: string;
  maxTotalChargeUsd?: string;
  waitForFinish?: string;
  startedAfter?: string;
  offset?: string;
  limit?: string;
}
interface Parts {
  Params: { id: string };
  Querystring: Query;
}
type Request = FastifyRequest<Parts>;

const refusals: Refusals = {
  unauthorised: errorAnswer(401, 'user-or-token-not-found', 'User was not found or authentication token is not valid'),
  rateLimited: errorAnswer(429, 'rate-limit-exceeded', 'You have exceeded the rate limit of requests per second'),
  noCapacity: errorAnswer(
    400,
    'concurrent-runs-limit-exceeded',
    'You would exceed the number of concurrent runs of your plan',
  ),
};

export function registerRunApi(
  app: FastifyInstance,
  { runs, faults, calls }: { runs: Runs; faults: Faults; calls: ProviderCalls },
): void {
  const subjectOf = (run: Run | undefined): Subject | undefined =>
    run && { target: run.target, correlationId: run.correlationId, id: run.id };
  /** An operation on the run that the path names. */
  const onRun = (
    find: (id: string) => Run | undefined,
    what: string,
    answer: (run: Run, request: Request) => CallAnswer | Promise<CallAnswer>,
  ) => ({
    subject: ({ params }: Request) => subjectOf(find(params.id)),
    act: (request: Request) => {
      const run = find(request.params.id);
      return run ? answer(run, request) : errorAnswer(404, 'record-not-found', `${what} was not found`);
    },
  });

  calls.register<Parts>(app, refusals, [
    {
      method: 'POST',
      url: '/v2/actors/:id/runs',
      operation: 'run.start',
      subject: (request) => subjectOfStart(inputOf(request), webhooksOf(request.query.webhooks) ?? []),
      act: async (request) => {
        const webhooks = webhooksOf(request.query.webhooks);
        if (!webhooks)
          return errorAnswer(400, 'invalid-value', 'The webhooks parameter is not base64 of a list of webhooks');
        if (!runs.hasRoom()) return refusals.noCapacity;
        const run = runs.start(request.params.id, inputOf(request), webhooks, limitsOf(request.query));
        if (faults.strikeEvent('run.webhook', subjectOf(run)!, ['before_answer']).length > 0) await runs.endNow(run);
        await runs.waitForEnd(run, waitMs(request.query));
        return { status: 201, body: { data: runBody(run) }, effect: true, id: run.id };
      },
    },
    {
      method: 'GET',
      url: '/v2/actors/:id/runs',
      operation: 'run.list',
      act: ({ params, query }) => {
        const startedAfter = query.startedAfter === undefined ? undefined : new Date(query.startedAfter);
        const page = slice(runs.list(params.id, startedAfter), query, 1000);
        return { status: 200, body: { data: { ...page, desc: false, items: page.items.map(runBody) } } };
      },
    },
    {
      method: 'GET',
      url: '/v2/actor-runs/:id',
      operation: 'run.get',
      ...onRun(
        (id) => runs.find(id),
        'Actor run',
        async (run, { query }) => {
          await runs.waitForEnd(run, waitMs(query));
          return { status: 200, body: { data: runBody(run) }, id: run.id };
        },
      ),
    },
    {
      method: 'POST',
      url: '/v2/actor-runs/:id/abort',
      operation: 'run.abort',
      ...onRun(
        (id) => runs.find(id),
        'Actor run',
        (run) => {
          const effect = runs.abort(run);
          return { status: 200, body: { data: runBody(run) }, effect, id: run.id };
        },
      ),
    },
    {
      method: 'GET',
      url: '/v2/key-value-stores/:id/records/INPUT',
      operation: 'run.input',
      ...onRun(
        (id) => runs.findByInputStore(id),
        'Record',
        (run) => ({ status: 200, body: run.input, id: run.id }),
      ),
    },
    {
      method: 'GET',
      url: '/v2/datasets/:id/items',
      operation: 'dataset.items',
      ...onRun(
        (id) => runs.findByDataset(id),
        'Dataset',
        (run, { query }) => {
          const { items, total, offset, limit, count } = slice(runs.items(run), query, 250_000);
          const pagination = Object.entries({ total, offset, limit, count, desc: false });
          const headers = Object.fromEntries(
            pagination.map(([name, value]) => [`x-apify-pagination-${name}`, String(value)]),
          );
          return { status: 200, body: items, headers, id: run.id };
        },
      ),
    },
  ]);
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

/** Seconds in the query; the real platform waits at most 60. */
function waitMs({ waitForFinish }: Query): number {
  return Math.min(60, Math.max(0, Number(waitForFinish ?? 0) || 0)) * 1000;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
