// The three built services as processes, two replicas of each, on the embedded queue and the provider simulator.
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createObjectStore, createWarehouse, type ObjectStore, type Warehouse } from '@tradewind/cloud-ports';
import { serviceTokenEntry } from '@tradewind/service-kit';
import { startSimulator, type Simulator, type SimulatorOptions } from '@tradewind/provider-simulator';
import { createTestDatabase, freePort, testPool } from '@tradewind/testkit';
import type pg from 'pg';
import { AppConfig } from '../../src/app.config.js';
import { addPeople } from '../coordinator-app.js';
import { ServiceProcess, type ServiceName } from './service-process.js';

const serviceToken = 'service-token-of-the-pipeline';

export interface Report {
  is_complete: boolean;
  selected: number;
  published: number;
  started: number;
  received: number;
  stored: number;
  backed_up: number;
  failed: number;
  missing: number;
  missing_profiles: { network_username: string; reason: string }[];
}

export interface Pipeline {
  simulator: Simulator;
  processes: ServiceProcess[];
  objects: ObjectStore;
  db: pg.Pool;
  /** The object store refuses everything, until the test ends that. */
  breakObjectStore(isBroken: boolean): Promise<void>;
  of(service: ServiceName): ServiceProcess[];
  addPeople(usernames: readonly string[]): Promise<void>;
  /** Asks any coordinator that answers. */
  request<T>(method: 'GET' | 'POST', path: string): Promise<{ status: number; body: T }>;
  close(): Promise<void>;
}

export async function startPipeline(options: {
  replicas: number;
  simulator?: SimulatorOptions;
  env?: Record<string, string>;
}): Promise<Pipeline> {
  const database = await createTestDatabase();
  const parent = await mkdtemp(join(tmpdir(), 'pipeline-objects-'));
  const objectDir = join(parent, 'objects');
  await mkdir(join(parent, 'real'));
  await symlink(join(parent, 'real'), objectDir);
  const simulator = await startSimulator({
    profileDurationMs: { min: 1, max: 50 },
    ledgerEntriesMax: 1_000_000,
    ...options.simulator,
  });
  const processes = await planProcesses(options.replicas, {
    databaseUrl: database.url,
    objectDir,
    providerUrl: simulator.url,
    env: options.env ?? {},
  });
  const of = (service: ServiceName) => processes.filter((process) => process.service === service);
  const warehouse = await createWarehouse(new AppConfig({ ...shared(database.url), QUEUE_DATABASE_URL: database.url }));
  const objects = await createObjectStore({ CLOUD: 'embedded', OBJECT_STORE_DIR: objectDir });
  const db = testPool({ connectionString: database.url, max: 2 });
  const close = async () => {
    await Promise.all(processes.map((process) => process.kill()));
    await simulator.close();
    await warehouse.onApplicationShutdown();
    await db.end();
    await database.drop();
    await rm(parent, { recursive: true, force: true });
  };
  try {
    await warehouse.migrate();
    await Promise.all(processes.map((process) => process.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    simulator,
    processes,
    objects,
    db,
    async breakObjectStore(isBroken) {
      // The folder is a link. One step replaces it by a link to a file, below which nothing can be created.
      await writeFile(join(parent, 'broken'), '');
      await symlink(join(parent, isBroken ? 'broken' : 'real'), join(parent, 'next'));
      await rename(join(parent, 'next'), objectDir);
    },
    of,
    addPeople: (usernames) => addInChunks(warehouse, usernames),
    request: (method, path) => requestAny(of('coordinator'), method, path),
    close,
  };
}

async function addInChunks(warehouse: Warehouse, usernames: readonly string[]): Promise<void> {
  for (let at = 0; at < usernames.length; at += 1000) {
    await addPeople(
      warehouse,
      usernames.slice(at, at + 1000).map((username) => ({ usernames: [username] })),
    );
  }
}

async function requestAny<T>(
  coordinators: readonly ServiceProcess[],
  method: string,
  path: string,
): Promise<{ status: number; body: T }> {
  for (const coordinator of coordinators) {
    try {
      const headers = { authorization: `Bearer ${serviceToken}` };
      const response = await fetch(coordinator.url + path, { method, headers, signal: AbortSignal.timeout(30_000) });
      return { status: response.status, body: (await response.json()) as T };
    } catch {
      // This one has just been killed; the other may answer.
    }
  }
  return { status: 0, body: {} as T };
}

/** Replica n of a service talks to replica n of the others, so that every replica has work. */
async function planProcesses(
  replicas: number,
  {
    databaseUrl,
    objectDir,
    providerUrl,
    env,
  }: { databaseUrl: string; objectDir: string; providerUrl: string; env: Record<string, string> },
): Promise<ServiceProcess[]> {
  const processes: ServiceProcess[] = [];
  for (let replica = 0; replica < replicas; replica++) {
    const [coordinator, api, webhook] = await Promise.all([freePort(), freePort(), freePort()]);
    const address = (port: number) => `http://127.0.0.1:${port}`;
    const base = (port: number) => ({ ...shared(databaseUrl), PORT: String(port), METRICS_PORT: '0', ...env });
    processes.push(
      new ServiceProcess('coordinator', coordinator, {
        ...base(coordinator),
        QUEUE_DATABASE_URL: databaseUrl,
        PUSH_ENDPOINT: `${address(api)}/batch-trigger/`,
        QUEUE_BACKOFF_MS_MIN: '100',
        QUEUE_BACKOFF_MS_MAX: '1000',
        PRIORITY_API_URL: address(api),
        PRIORITY_WEBHOOK_URL: address(webhook),
        SERVICE_TOKEN: serviceToken,
        RESUME_INTERVAL_MS: '200',
      }),
      new ServiceProcess('priority-api', api, {
        ...base(api),
        PROVIDER_BASE_URL: providerUrl,
        PROVIDER_TIMEOUT_MS: '2000',
        PROVIDER_NO_CAPACITY_DELAY_MS: '100',
        PROFILE_WEBHOOK_URL: `${address(webhook)}/webhook/network`,
        PRIORITY_WEBHOOK_URL: address(webhook),
        SERVICE_TOKEN: serviceToken,
        PUSH_BUDGET_MS: '3000',
        START_SETTLE_MS: '200',
        START_SETTLE_SILENT_MS: '1000',
        START_BACKOFF_MS: '50',
        START_ATTEMPTS: '1000',
        LOOP_INTERVAL_MS: '200',
        WATCH_INTERVAL_MS: '500',
        DELIVERY_OVERDUE_SECONDS: '3',
      }),
      new ServiceProcess('priority-webhook', webhook, {
        ...base(webhook),
        OBJECT_STORE_DIR: objectDir,
        LOOP_INTERVAL_MS: '200',
        STORE_TIMEOUT_MS: '2000',
        STORE_BACKOFF_MS_MIN: '100',
        STORE_BACKOFF_MS_MAX: '1000',
      }),
    );
  }
  return processes;
}

function shared(databaseUrl: string): Record<string, string> {
  return {
    ENVIRONMENT: 'dev',
    LOG_LEVEL: 'error',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL_SIZE: '6',
    WAREHOUSE_DATABASE_URL: databaseUrl,
    SERVICE_TOKENS: serviceTokenEntry(serviceToken, {
      name: 'pipeline',
      services: ['coordinator', 'priority-api', 'priority-webhook'],
    }),
  };
}
