// Starts the whole app on a database of its own, as the tests of this folder need it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectStore, Warehouse } from '@tradewind/cloud-ports';
import { serviceTokenEntry, startService, type RunningService } from '@tradewind/service-kit';
import { createTestDatabase, testPool } from '@tradewind/testkit';
import type { AppConfig } from '../src/app.config.js';
import { service } from '../src/service.js';

export const webhookSecret = 'secret-of-the-test';
export const serviceToken = 'service-token-of-the-test';

export interface TestApp {
  running: RunningService<AppConfig>;
  url: string;
  databaseUrl: string;
  objectDir: string;
  warehouse: Warehouse;
  objects: ObjectStore;
  /** Posts a webhook as the provider does. */
  deliver(body: unknown, headers?: Record<string, string>): Promise<{ status: number; body: Record<string, unknown> }>;
  query<T extends object>(sql: string, parameters?: unknown[]): Promise<T[]>;
  /** Another replica on the same database and folder. */
  replica(env?: Record<string, string>): Promise<RunningService<AppConfig>>;
  close(): Promise<void>;
}

/** The template database is migrated by the app itself, once per run. */
async function migrate(databaseUrl: string): Promise<void> {
  const config = new service.config(environment(databaseUrl, tmpdir()));
  await service.migrate?.(config);
  await service.prepare?.(config);
}

export async function startApp(env: Record<string, string> = {}): Promise<TestApp> {
  const database = await createTestDatabase({ name: 'priority_webhook', migrate });
  const objectDir = await mkdtemp(join(tmpdir(), 'priority-webhook-'));
  const start = (more: Record<string, string>) =>
    startService(service, { env: { ...environment(database.url, objectDir), ...env, ...more } });
  const running = await start({});
  const replicas: RunningService<AppConfig>[] = [];
  const pool = testPool({
    connectionString: database.url,
    max: 2,
    options: '-c search_path=priority_webhook,public',
  });
  return {
    running,
    url: running.url,
    databaseUrl: database.url,
    objectDir,
    warehouse: running.app.get(Warehouse),
    objects: running.app.get(ObjectStore),
    deliver: (body, headers) => deliverTo(running.url, body, headers),
    query: async <T extends object>(sql: string, parameters?: unknown[]) => (await pool.query<T>(sql, parameters)).rows,
    async replica(more = {}) {
      const other = await start(more);
      replicas.push(other);
      return other;
    },
    async close() {
      await Promise.all([running, ...replicas].map((one) => one.close()));
      await pool.end();
      await database.drop();
      await rm(objectDir, { recursive: true, force: true });
    },
  };
}

export async function deliverTo(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/webhook/network`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-webhook-secret': webhookSecret, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

export function profileBody(username: string, profile: Record<string, unknown> = {}) {
  return {
    url: `https://www.linkedin.com/in/${username}`,
    data: { profile: { name: 'Jane Doe', headline: 'Head of Data', location: 'Berlin', ...profile } },
  };
}

/** Waits a few seconds for a condition. */
export async function eventually(check: () => Promise<void>, timeoutMs = 10_000): Promise<void> {
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

function environment(databaseUrl: string, objectDir: string): Record<string, string> {
  return {
    ENVIRONMENT: 'dev',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'fatal',
    DATABASE_URL: databaseUrl,
    WAREHOUSE_DATABASE_URL: databaseUrl,
    OBJECT_STORE_DIR: objectDir,
    PROFILE_WEBHOOK_SECRETS: webhookSecret,
    SERVICE_TOKENS: serviceTokenEntry(serviceToken, { name: 'test', services: ['priority-webhook'] }),
    LOOP_INTERVAL_MS: '200',
    STORE_BACKOFF_MS_MIN: '50',
    STORE_BACKOFF_MS_MAX: '200',
  };
}
