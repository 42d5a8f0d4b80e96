// The app under test: the very service that main.ts runs, on its own database, with the simulator as provider.
import { jest } from '@jest/globals';
import type { SimulatorOptions, Simulator } from '@tradewind/provider-simulator';
import { startSimulator } from '@tradewind/provider-simulator';
import { migrateDatabase, startService, type RunningService } from '@tradewind/service-kit';
import { createTestDatabase, freePort, type TestDatabase, testPool } from '@tradewind/testkit';
import { createWarehouse } from '@tradewind/cloud-ports';
import { createRunProvider } from '@tradewind/scraping-provider';
import type pg from 'pg';
import { AppConfig } from '../src/app.config.js';
import { migrations } from '../src/migrations.js';
import { service } from '../src/service.js';
import type { TrackerRow, WarehouseCounts } from './stored-rows.types.js';

// Generous, for busy machines; a wait ends as soon as its condition holds.
jest.setTimeout(180_000);

/** Short times for tests, in the same proportions as in production. */
export const quickSettings = {
  ENVIRONMENT: 'dev',
  CALLER_AUTH: 'none',
  LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent',
  CLOUD: 'embedded',
  PROVIDER_TIMEOUT_MS: '1000',
  PROVIDER_RETRY_DELAY_MS: '20',
  PROVIDER_NO_CAPACITY_DELAY_MS: '100',
  START_BACKOFF_MS: '50',
  START_SETTLE_MS: '150',
  START_SETTLE_SILENT_MS: '1500',
  FOLLOW_INTERVAL_MS: '200',
  LOOP_INTERVAL_MS: '200',
  LEASE_SECONDS: '2',
};

export async function createInteractionsDatabase(): Promise<TestDatabase> {
  return createTestDatabase({
    name: 'interactions',
    migrate: async (databaseUrl) => {
      await migrateDatabase({ DATABASE_URL: databaseUrl, DATABASE_SCHEMA: 'interactions' }, migrations);
      const warehouse = await createWarehouse(
        new AppConfig({ ...quickSettings, DATABASE_URL: databaseUrl, WAREHOUSE_DATABASE_URL: databaseUrl }),
      );
      await warehouse.migrate();
      await warehouse.onApplicationShutdown();
    },
  });
}

export class InteractionsWorld {
  readonly replicas: RunningService<AppConfig>[] = [];

  private constructor(
    readonly simulator: Simulator,
    readonly database: TestDatabase,
    readonly sql: pg.Pool,
    readonly settings: Record<string, string>,
  ) {}

  /** A simulator, a database and so many replicas of the service, each on a port of its own. */
  static async start(
    options: { settings?: Record<string, string>; simulator?: SimulatorOptions; replicas?: number } = {},
  ): Promise<InteractionsWorld> {
    const simulator = await startSimulator({
      runDurationMs: { min: 50, max: 200 },
      abortDurationMs: 50,
      webhookRetryDelaysMs: [100, 200, 400, 800, 1600, 3200],
      ...options.simulator,
    });
    const database = await createInteractionsDatabase();
    const sql = testPool({ connectionString: database.url, max: 2, options: '-c search_path=interactions' });
    const world = new InteractionsWorld(simulator, database, sql, {
      ...quickSettings,
      DATABASE_URL: database.url,
      WAREHOUSE_DATABASE_URL: database.url,
      PROVIDER_BASE_URL: simulator.url,
      MIGRATE_ON_START: 'false',
      ...options.settings,
    });
    for (let n = 0; n < (options.replicas ?? 1); n++) await world.addReplica();
    return world;
  }

  get url(): string {
    return this.replicas[0]!.url;
  }

  async addReplica(settings: Record<string, string> = {}): Promise<RunningService<AppConfig>> {
    const port = await freePort();
    const replica = await startService(service, {
      env: {
        ...this.settings,
        WEBHOOK_BASE_URL: `http://127.0.0.1:${port}`,
        ...settings,
        PORT: String(port),
        METRICS_PORT: '0',
      },
    });
    this.replicas.push(replica);
    return replica;
  }

  /** Of the database, for connections that are made from now on. */
  async setTimeZone(zone: string): Promise<void> {
    await this.sql.query(`alter database "${new URL(this.database.url).pathname.slice(1)}" set timezone to '${zone}'`);
  }

  async stop(): Promise<void> {
    for (const replica of this.replicas.splice(0)) await replica.close();
    await this.simulator.close();
    await this.sql.end();
    await this.database.drop();
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}, base = this.url) {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as never, headers: response.headers };
  }

  async get(path: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${this.url}${path}`, { headers });
    return { status: response.status, body: (await response.json()) as never };
  }

  async tracker(): Promise<TrackerRow[]> {
    const { rows } = await this.sql.query<TrackerRow>(
      'select * from "network_interactions_trackerDev" order by created_at, job_id',
    );
    return rows;
  }

  /** Distinct ids of the network in each run; fewer than the rows means that something is stored twice. */
  async allWarehouseCounts(): Promise<Map<string, WarehouseCounts>> {
    const { rows } = await this.sql.query<WarehouseCounts & { run: string; total: number; ids: number }>(
      `select provider_run_id as run, count(*)::int as total, count(distinct (kind, id))::int as ids,
              count(*) filter (where kind = 'post')::int as posts,
              count(*) filter (where kind = 'comment')::int as comments,
              count(*) filter (where kind = 'reaction')::int as reactions
       from (select provider_run_id, 'post' as kind, post_id as id from warehouse.network_posts
             union all select provider_run_id, 'comment', comment_id from warehouse.network_post_comments
             union all select provider_run_id, 'reaction', reaction_id from warehouse.network_post_reactions) items
       group by 1`,
    );
    for (const { run, total, ids } of rows) if (total !== ids) throw new Error(`run ${run}: ${total} rows, ${ids} ids`);
    return new Map(rows.map(({ run, posts, comments, reactions }) => [run, { posts, comments, reactions }]));
  }

  /** The totals of each company, millionths of a US dollar by day. */
  async companyCosts(): Promise<Record<string, Record<string, number>>> {
    const { rows } = await this.sql.query<{ company: string; day: string; cost: string }>(
      `select user_company_id as company, day::text, cost_micro_usd as cost from "company_costsDev" order by 1, 2`,
    );
    const costs: Record<string, Record<string, number>> = {};
    for (const { company: id, day, cost } of rows) (costs[id] ??= {})[day] = Number(cost);
    return costs;
  }

  async warehouseCounts(runId: string): Promise<WarehouseCounts> {
    return (await this.allWarehouseCounts()).get(runId) ?? { posts: 0, comments: 0, reactions: 0 };
  }

  /** The input of each run, by handle. */
  async providerInputs(): Promise<Record<string, Record<string, unknown>>> {
    const provider = createRunProvider(this.replicas[0]!.config);
    const inputs: Record<string, Record<string, unknown>> = {};
    for await (const run of provider.listRunsSince(new Date(0))) {
      const found = await provider.readRunInput(run);
      const { rows } = await this.sql.query<{ networkUsername: string }>(
        'select "networkUsername" from "network_interactions_trackerDev" where job_id = $1',
        [found?.correlationId],
      );
      if (found && rows[0]) inputs[rows[0].networkUsername] = found.input;
    }
    return inputs;
  }

  /** Empties everything; nothing may be under way. */
  async empty(): Promise<void> {
    this.simulator.reset();
    await this.sql.query(
      `truncate "network_interactions_trackerDev", "webhook_inboxDev", "left_over_itemsDev", "company_costsDev",
         "company_budgetsDev", "job_timelineDev", warehouse.network_posts, warehouse.network_post_comments, warehouse.network_post_reactions`,
    );
    await this.sql.query(`update "start_gateDev" set paused_until = '-infinity', refusals = 0`);
  }

  /** Resolves once every webhook that was accepted has been processed. */
  async inboxProcessed(timeoutMs = 60_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const { rowCount } = await this.sql.query('select 1 from "webhook_inboxDev" where processed_at is null');
      if (rowCount === 0) return;
      if (performance.now() > deadline) throw new Error(`${rowCount} webhooks were not processed`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The tracker once no job is PENDING or RUNNING; fails after the time given. */
  async finished(timeoutMs = 90_000): Promise<TrackerRow[]> {
    return this.until((rows) => rows.every((row) => row.stage === 'done'), timeoutMs);
  }

  async until(condition: (rows: TrackerRow[]) => boolean, timeoutMs = 90_000): Promise<TrackerRow[]> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const rows = await this.tracker();
      if (condition(rows)) return rows;
      if (performance.now() > deadline) {
        const open = rows.filter((row) => row.stage !== 'done');
        throw new Error(
          `the tracker did not get there: ${JSON.stringify(open.slice(0, 5))} of ${open.length} open jobs`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
}

export function person(handle: string) {
  return { network_handle: handle, entity: 'PERSON' };
}

export function company(handle: string) {
  return { network_handle: handle, entity: 'COMPANY' };
}
