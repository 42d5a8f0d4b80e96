// Starts the whole app on a database of its own, with stand-ins for the two apps it talks to.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Warehouse } from '@tradewind/cloud-ports';
import { serviceTokenEntry, startService, type RunningService } from '@tradewind/service-kit';
import type { ProfileCallStatus, ProfileDeliveryStatus, PushEnvelope } from '@tradewind/shared-types';
import { createTestDatabase, testPool } from '@tradewind/testkit';
import type { AppConfig } from '../src/app.config.js';
import { service } from '../src/service.js';

export const serviceToken = 'service-token-of-the-test';

export interface Person {
  personId?: string;
  isPriority?: boolean;
  /** Null: a person without a username. */
  usernames?: (string | null)[];
}

/** A fake of priority-api and priority-webhook: accepts pushes, and answers look-ups as the test sets. */
export interface Neighbours {
  url: string;
  pushed: PushEnvelope['message'][];
  calls: Map<string, ProfileCallStatus>;
  deliveries: Map<string, ProfileDeliveryStatus>;
  /** Bodies of the retries asked for. */
  retries: AskedBody[];
  /** Profiles that a retry does not start. */
  onTheirWay: Set<string>;
  isUp: boolean;
  close(): Promise<void>;
}

/** The fields of all answers together; each test reads those that its answer has. */
export interface AnswerBody extends Record<string, unknown> {
  run_id: string;
  status: string;
  last_error: string | null;
  selected: number;
  missing_profiles: { network_username: string; reason: string }[];
}

export interface TestApp {
  running: RunningService<AppConfig>;
  url: string;
  databaseUrl: string;
  env: Record<string, string>;
  neighbours: Neighbours;
  addPeople(people: readonly Person[]): Promise<void>;
  query<T extends object>(sql: string, parameters?: unknown[]): Promise<T[]>;
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: AnswerBody }>;
  /** Waits for the end of a run. */
  untilCompleted(runId: string): Promise<AnswerBody>;
  /** Starts a run over HTTP and waits for its end. */
  runToEnd(body?: unknown): Promise<AnswerBody>;
  close(): Promise<void>;
}

export async function startApp(env: Record<string, string> = {}): Promise<TestApp> {
  const database = await createTestDatabase({ name: 'coordinator', migrate });
  const neighbours = await startNeighbours();
  const whole = { ...environment(database.url, neighbours.url), ...env };
  const running = await startService(service, { env: whole });
  const warehouse = running.app.get(Warehouse);
  const pool = testPool({ connectionString: database.url, max: 2, options: '-c search_path=coordinator,public' });
  const request: TestApp['request'] = async (method, path, body, headers) => {
    const response = await fetch(`${running.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${serviceToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as AnswerBody };
  };
  const untilCompleted = async (runId: string) => {
    let run: AnswerBody | undefined;
    await eventually(async () => {
      run = (await request('GET', `/runs/${runId}`)).body;
      if (run.status !== 'completed') throw new Error(`run is ${run.status}: ${run.last_error}`);
      // The lock is released just after the run is completed.
      const locks = await pool.query(
        `select from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
      );
      if (locks.rowCount !== 0) throw new Error('the run still holds its lock');
    });
    return run!;
  };
  return {
    running,
    url: running.url,
    databaseUrl: database.url,
    env: whole,
    neighbours,
    request,
    addPeople: (people) => addPeople(warehouse, people),
    query: async <T extends object>(sql: string, parameters?: unknown[]) => (await pool.query<T>(sql, parameters)).rows,
    untilCompleted,
    async runToEnd(body) {
      const started = await request('POST', '/run', body);
      if (started.status !== 202)
        throw new Error(`POST /run answered ${started.status} ${JSON.stringify(started.body)}`);
      return untilCompleted(started.body.run_id);
    },
    async close() {
      await running.close();
      await neighbours.close();
      await pool.end();
      await database.drop();
    },
  };
}

export async function addPeople(warehouse: Warehouse, people: readonly Person[]): Promise<void> {
  const ingested_at = new Date();
  const rows = people.map((person) => ({
    personId: randomUUID(),
    isPriority: true,
    usernames: [],
    ...person,
  }));
  await warehouse.append(
    'person_fields',
    rows.map(({ personId, isPriority }) => ({ row_id: `f-${personId}`, person_id: personId, isPriority, ingested_at })),
  );
  await warehouse.append(
    'person_identifiers',
    rows.flatMap(({ personId, usernames }) =>
      usernames.map((identifierValue: string | null, index: number) => ({
        row_id: `i-${personId}-${index}`,
        person_id: personId,
        identifierType: 'NETWORK',
        identifierValue,
        ingested_at,
      })),
    ),
  );
}

/** The handles of all pushed batches, in order of batch number. */
export function pushedUsernames(neighbours: Neighbours): string[] {
  return [...neighbours.pushed]
    .sort((one, other) => Number(one.attributes['batch_number']) - Number(other.attributes['batch_number']))
    .flatMap((message) => batchOf(message).profiles.map(({ network_username }) => network_username));
}

export function batchOf(message: PushEnvelope['message']): {
  profiles: { network_username: string; person_id: string }[];
} {
  return JSON.parse(Buffer.from(message.data, 'base64').toString()) as ReturnType<typeof batchOf>;
}

export async function eventually(check: () => Promise<void> | void, timeoutMs = 15_000): Promise<void> {
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

/** The fields of all requests to the two other apps together. */
interface AskedBody {
  message: PushEnvelope['message'];
  profiles: { network_username: string; person_id: string }[];
  network_usernames: string[];
  plan_id?: string;
  dry_run?: boolean;
  published?: boolean;
  forced_run_id?: string;
}

async function startNeighbours(): Promise<Neighbours> {
  const state = {
    pushed: [] as PushEnvelope['message'][],
    calls: new Map<string, ProfileCallStatus>(),
    deliveries: new Map<string, ProfileDeliveryStatus>(),
    retries: [] as AskedBody[],
    onTheirWay: new Set<string>(),
    isUp: true,
  };
  const answerTo = (path: string, body: AskedBody): unknown => {
    if (path === '/batch-trigger/') {
      state.pushed.push(body.message);
      return { status: 'success', profiles_triggered: 0, batch_number: 0 };
    }
    if (path.endsWith('/retry')) {
      state.retries.push(body);
      const count = (standing: 'started' | 'on_their_way') =>
        body.profiles.filter(
          ({ network_username }) => (state.onTheirWay.has(network_username) ? 'on_their_way' : 'started') === standing,
        ).length;
      return { started: count('started'), on_their_way: count('on_their_way'), done: 0, not_known: 0 };
    }
    const known: Map<string, object> = path.startsWith('/api/') ? state.calls : state.deliveries;
    return {
      profiles: body.network_usernames.filter((name) => known.has(name)).map((name) => known.get(name)),
    };
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (!state.isUp) return void response.writeHead(503).end();
      const answer = answerTo(request.url ?? '', JSON.parse(Buffer.concat(chunks).toString()) as AskedBody);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

async function migrate(databaseUrl: string): Promise<void> {
  const config = new service.config(environment(databaseUrl, 'http://127.0.0.1:9'));
  await service.migrate?.(config);
  await service.prepare?.(config);
}

export function environment(databaseUrl: string, neighboursUrl: string): Record<string, string> {
  return {
    ENVIRONMENT: 'dev',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'fatal',
    DATABASE_URL: databaseUrl,
    WAREHOUSE_DATABASE_URL: databaseUrl,
    QUEUE_DATABASE_URL: databaseUrl,
    PUSH_ENDPOINT: `${neighboursUrl}/batch-trigger/`,
    QUEUE_BACKOFF_MS_MIN: '50',
    QUEUE_BACKOFF_MS_MAX: '200',
    PRIORITY_API_URL: `${neighboursUrl}/api`,
    PRIORITY_WEBHOOK_URL: `${neighboursUrl}/webhook`,
    SERVICE_TOKEN: 'token-for-the-neighbours',
    SERVICE_TOKENS: serviceTokenEntry(serviceToken, { name: 'test', services: ['coordinator'] }),
    BATCH_PROFILES: '10',
    READ_PAGE_PEOPLE: '7',
    RESUME_INTERVAL_MS: '250',
  };
}
