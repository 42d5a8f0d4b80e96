// Starts the whole app on a database of its own, beside the provider simulator, as the tests of this folder need it.
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSimulator, type Simulator } from '@tradewind/provider-simulator';
import { serviceTokenEntry, startService, type RunningService } from '@tradewind/service-kit';
import { createTestDatabase, testPool } from '@tradewind/testkit';
import type { AppConfig } from '../src/app.config.js';
import { service } from '../src/service.js';

export const pushToken = 'push-token-of-the-test';
export const serviceToken = 'service-token-of-the-test';
export const webhookSecret = 'secret-of-the-test';

export interface Received {
  at: Date;
  body: unknown;
  correlationId: string | undefined;
  secret: string | undefined;
}

/** A fake of priority-webhook: accepts profiles, and answers which it has. */
export interface WebhookStandIn {
  url: string;
  received: Received[];
  /** Answers 503 while false. */
  isUp: boolean;
  close(): Promise<void>;
}

export interface TestApp {
  running: RunningService<AppConfig>;
  url: string;
  simulator: Simulator;
  webhook: WebhookStandIn;
  push(message: PushedBatch, options?: { url?: string; headers?: Record<string, string> }): Promise<Answer>;
  query<T extends object>(sql: string, parameters?: unknown[]): Promise<T[]>;
  replica(env?: Record<string, string>): Promise<RunningService<AppConfig>>;
  /** The environment of the app, for operator commands. */
  env: Record<string, string>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

export interface PushedBatch {
  profiles?: unknown;
  /** Replaces the JSON of profiles. */
  data?: string;
  attributes?: Record<string, unknown>;
  messageId?: string;
}

export async function startApp(env: Record<string, string> = {}, simulatorOptions = {}): Promise<TestApp> {
  const database = await createTestDatabase({ name: 'priority_api', migrate });
  const simulator = await startSimulator({ profileDurationMs: { min: 1, max: 5 }, ...simulatorOptions });
  const webhook = await startWebhookStandIn();
  const whole = { ...environment(database.url, simulator.url, webhook.url), ...env };
  const running = await startService(service, { env: whole });
  const replicas: RunningService<AppConfig>[] = [];
  const pool = testPool({ connectionString: database.url, max: 2, options: '-c search_path=priority_api,public' });
  return {
    running,
    url: running.url,
    simulator,
    webhook,
    env: whole,
    push: (message, options = {}) => push(options.url ?? running.url, message, options.headers),
    query: async <T extends object>(sql: string, parameters?: unknown[]) => (await pool.query<T>(sql, parameters)).rows,
    async replica(more = {}) {
      const other = await startService(service, { env: { ...whole, ...more } });
      replicas.push(other);
      return other;
    },
    async close() {
      await Promise.all([running, ...replicas].map((one) => one.close()));
      await simulator.close();
      await webhook.close();
      await pool.end();
      await database.drop();
    },
  };
}

export async function push(url: string, message: PushedBatch, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${url}/batch-trigger/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${pushToken}`, ...headers },
    body: JSON.stringify(envelope(message)),
  });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
}

/** As Pub/Sub sends it, including fields that nobody reads. */
export function envelope({ profiles, data, attributes, messageId = randomUUID() }: PushedBatch) {
  const publishTime = new Date().toISOString();
  return {
    deliveryAttempt: 1,
    subscription: 'projects/test/subscriptions/batches',
    message: {
      data: data ?? Buffer.from(JSON.stringify({ profiles })).toString('base64'),
      attributes: attributes ?? { batch_number: '7', total_batches: '9' },
      messageId,
      message_id: messageId,
      publishTime,
      publish_time: publishTime,
    },
  };
}

export function profiles(count: number, prefix = `p${Math.random().toString(36).slice(2, 8)}`) {
  return Array.from({ length: count }, (_, index) => ({
    network_username: `${prefix}-${index}`,
    person_id: randomUUID(),
  }));
}

export async function eventually(check: () => Promise<void> | void, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

/** As priority-webhook answers: a success before a failure, then the latest. */
function bestDeliveries(received: readonly Received[], names: readonly string[]) {
  return names.flatMap((network_username) => {
    const own = received.filter(({ body }) => (body as ProfileBody).url.endsWith(`/in/${network_username}`));
    const best = own.findLast(({ body }) => (body as ProfileBody).data.profile !== null) ?? own.at(-1);
    if (!best) return [];
    return [
      {
        network_username,
        received_at: best.at.toISOString(),
        request_status: (best.body as ProfileBody).data.profile === null ? 'FAILED' : 'SUCCESS',
        reason: null,
        stored: true,
        backed_up: true,
        correlation_id: best.correlationId ?? null,
      },
    ];
  });
}

interface ProfileBody {
  url: string;
  data: { profile: unknown };
}

async function startWebhookStandIn(): Promise<WebhookStandIn> {
  const received: Received[] = [];
  const standIn = { isUp: true };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (!standIn.isUp) return void response.writeHead(503).end();
      const body = JSON.parse(Buffer.concat(chunks).toString()) as { network_usernames?: string[]; url?: string };
      if (request.url?.endsWith('/lookup')) {
        return void answer(response, { profiles: bestDeliveries(received, body.network_usernames ?? []) });
      }
      const header = (name: string) => request.headers[name] as string | undefined;
      received.push({
        at: new Date(),
        body,
        correlationId: header('x-correlation-id'),
        secret: header('x-webhook-secret'),
      });
      answer(response, { status: 'success', saved_to_warehouse: true, backed_up_to_storage: true });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(standIn, {
    url,
    received,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

function answer(response: import('node:http').ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function migrate(databaseUrl: string): Promise<void> {
  await service.migrate?.(new service.config(environment(databaseUrl, 'http://127.0.0.1:9', 'http://127.0.0.1:9')));
}

function environment(databaseUrl: string, providerUrl: string, webhookUrl: string): Record<string, string> {
  return {
    ENVIRONMENT: 'dev',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'fatal',
    DATABASE_URL: databaseUrl,
    QUEUE_PUSH_TOKEN: pushToken,
    PROVIDER_BASE_URL: providerUrl,
    // Longer than a pause of a busy machine.
    PROVIDER_TIMEOUT_MS: '5000',
    PROVIDER_RETRIES: '1',
    PROVIDER_NO_CAPACITY_DELAY_MS: '100',
    PROFILE_WEBHOOK_URL: `${webhookUrl}/webhook/network`,
    PROFILE_WEBHOOK_SECRETS: `${webhookSecret},older-secret`,
    PRIORITY_WEBHOOK_URL: webhookUrl,
    SERVICE_TOKEN: 'token-for-the-webhook-app',
    SERVICE_TOKENS: serviceTokenEntry(serviceToken, { name: 'test', services: ['priority-api'] }),
    PUSH_BUDGET_MS: '30000',
    START_SETTLE_MS: '200',
    START_SETTLE_SILENT_MS: '1500',
    START_BACKOFF_MS: '50',
    LOOP_INTERVAL_MS: '200',
    WATCH_INTERVAL_MS: '200',
    DELIVERY_OVERDUE_SECONDS: '1',
  };
}
