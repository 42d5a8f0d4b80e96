import http from 'node:http';
import https from 'node:https';
import {
  ApifyApiError,
  ApifyClient,
  type ActorRun,
  type ActorRunListItem,
  type ApifyClientOptions,
  type WebhookUpdateData,
} from 'apify-client';
import { correlationIdOf, toActorInput } from './actor-input.js';
import { failedCall, failedStart, failureDetail, retryAfterMs, type CallFailure } from './provider-failures.js';
import type { ProviderSettings } from './provider-settings.js';
import {
  RunProvider,
  type ItemPage,
  type ProviderRun,
  type RunInput,
  type RunLimits,
  type RunWebhook,
  type StartOutcome,
} from './run-provider.port.js';

const runsPerPage = 200;

type RequestInterceptor = NonNullable<ApifyClientOptions['requestInterceptors']>[number];

/** Every way in which a run can end. That it was started and is running is learned by polling. */
const endOfRun = ['ACTOR.RUN.SUCCEEDED', 'ACTOR.RUN.FAILED', 'ACTOR.RUN.ABORTED', 'ACTOR.RUN.TIMED_OUT'] as const;

/** The run platform through its official client. */
export class ApifyRunProvider extends RunProvider {
  /** Starts use a client without retries: a repeated start would begin a second run. */
  private readonly once: ApifyClient;
  private readonly repeating: ApifyClient;

  constructor(private readonly settings: ProviderSettings) {
    super();
    const common = {
      baseUrl: settings.PROVIDER_BASE_URL.replace(/\/+$/, ''),
      token: settings.PROVIDER_TOKEN,
      timeoutSecs: settings.PROVIDER_TIMEOUT_MS / 1000,
      requestInterceptors: [useAgents(settings.PROVIDER_TIMEOUT_MS)],
    };
    this.once = prepare(new ApifyClient({ ...common, maxRetries: 0 }));
    this.repeating = prepare(
      new ApifyClient({
        ...common,
        maxRetries: settings.PROVIDER_RETRIES,
        // The client doubles it each time and multiplies it by a random factor between 1 and 2.
        minDelayBetweenRetriesMillis: settings.PROVIDER_RETRY_DELAY_MS,
      }),
    );
  }

  async start(input: RunInput, webhook: RunWebhook, limits: RunLimits): Promise<StartOutcome> {
    const actorInput = toActorInput(input, {
      networkUrl: this.settings.PROVIDER_NETWORK_URL,
      correlationId: webhook.correlationId,
    });
    try {
      const run = await this.once.actor(this.settings.PROVIDER_ACTOR).start(actorInput, {
        webhooks: [adHocWebhook(webhook)],
        // The first limits actors that are paid by result, the second those paid by event.
        maxItems: limits.itemsMax,
        maxTotalChargeUsd: limits.chargeUsdMax,
      });
      return { outcome: 'started', run: toProviderRun(run) };
    } catch (error) {
      return failedStart(toFailure(error), this.settings.PROVIDER_NO_CAPACITY_DELAY_MS);
    }
  }

  async findRun(runId: string): Promise<ProviderRun | undefined> {
    const run = await call(() => this.repeating.run(runId).get());
    return run && toProviderRun(run);
  }

  async abortRun(runId: string): Promise<ProviderRun | undefined> {
    const run = await callOrMissing(() => this.repeating.run(runId).abort());
    return run && toProviderRun(run);
  }

  async *listRunsSince(since: Date): AsyncGenerator<ProviderRun> {
    const runs = this.repeating.actor(this.settings.PROVIDER_ACTOR).runs();
    for (let offset = 0; ;) {
      const page = await call(async () => runs.list({ startedAfter: since, offset, limit: runsPerPage, desc: false }));
      yield* page.items.map(toProviderRun);
      offset += page.items.length;
      if (page.items.length === 0 || offset >= page.total) return;
    }
  }

  async readRunInput(run: ProviderRun) {
    const record = await call(() => this.repeating.keyValueStore(run.inputStoreId).getRecord('INPUT'));
    if (!isObject(record?.value)) return undefined;
    return { input: record.value, correlationId: correlationIdOf(record.value) };
  }

  async readItems(datasetId: string, page: { offset: number; limit: number }): Promise<ItemPage | undefined> {
    const found = await callOrMissing(async () =>
      this.repeating.dataset<Record<string, unknown>>(datasetId).listItems(page),
    );
    return found && { items: found.items, offset: found.offset, total: found.total };
  }
}

function adHocWebhook(webhook: RunWebhook): WebhookUpdateData {
  return {
    eventTypes: [...endOfRun],
    requestUrl: webhook.webhookUrl,
    headersTemplate: JSON.stringify({ ...webhook.webhookHeaders, 'x-correlation-id': webhook.correlationId }),
    idempotencyKey: webhook.correlationId,
  };
}

function toProviderRun(run: ActorRun | ActorRunListItem): ProviderRun {
  return {
    id: run.id,
    status: run.status,
    statusMessage: 'statusMessage' in run ? run.statusMessage : undefined,
    startedAt: run.startedAt,
    // The API says null while the run lasts, though the client's type does not.
    finishedAt: run.finishedAt ?? undefined,
    datasetId: run.defaultDatasetId,
    inputStoreId: run.defaultKeyValueStoreId,
    costUsd: toCostUsd(run.usageTotalUsd),
  };
}

/** The client does not check what the provider sends. */
function toCostUsd(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

async function call<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw failedCall(toFailure(error));
  }
}

/** For calls whose 404 the client throws instead of answering undefined. */
async function callOrMissing<T>(send: () => Promise<T>): Promise<T | undefined> {
  return call(async () => {
    try {
      return await send();
    } catch (error) {
      if (error instanceof ApifyApiError && error.statusCode === 404) return undefined;
      throw error;
    }
  });
}

/**
 * Sends the client's requests through Node's own agents. The client's proxy agent looks for a proxy at every request,
 * which costs about as much CPU as the rest of a call. `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` still count: Node
 * reads them when the agents are made.
 */
function useAgents(timeoutMs: number): RequestInterceptor {
  // eslint-disable-next-line no-restricted-properties -- the standard proxy variables belong to the machine, not to an app
  const proxyEnv = process.env;
  // Without a limit on idle time, a start could be lost on a connection that the provider has closed.
  const options = { keepAlive: true, scheduling: 'lifo', timeout: timeoutMs, proxyEnv } as const;
  const httpAgent = new http.Agent(options);
  const httpsAgent = new https.Agent(options);
  return (request) => {
    // The client says `proxy: false` because of its own agent; axios would then strip the proxy from ours.
    delete request.proxy;
    return Object.assign(request, { httpAgent, httpsAgent });
  };
}

/**
 * The client's errors drop the response headers; this keeps `Retry-After` in the error's `data`.
 * The client's own log is off: only this platform writes to the console, and outcomes and errors say the same.
 */
function prepare(client: ApifyClient): ApifyClient {
  client.logger.setLevel(client.logger.LEVELS.OFF);
  client.httpClient.axios.interceptors.response.use((response) => {
    const header: unknown = response.headers['retry-after'];
    const body: unknown = response.data;
    if (header !== undefined && isObject(body) && isObject(body['error'])) {
      body['error']['data'] = { ...(body['error']['data'] as object | undefined), retryAfter: header };
    }
    return response;
  });
  return client;
}

function toFailure(error: unknown): CallFailure {
  if (error instanceof ApifyApiError) {
    return {
      status: error.statusCode,
      type: error.type,
      code: undefined,
      retryAfterMs: retryAfterMs(error.data?.['retryAfter'], new Date()),
      detail: failureDetail(`provider answered ${error.statusCode} ${error.type ?? ''}: ${error.message}`),
    };
  }
  const code = isObject(error) && typeof error['code'] === 'string' ? error['code'] : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return {
    status: undefined,
    type: undefined,
    code,
    retryAfterMs: undefined,
    detail: failureDetail(`no usable answer from the provider${code ? ` (${code})` : ''}: ${message}`),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
