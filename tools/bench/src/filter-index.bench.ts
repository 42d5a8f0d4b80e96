// The index in memory of the data API: exact counts and pages of companies for random structured filters, beside
// PostgreSQL alone on the same database. At --scale 1: 10,000,000 companies. Loading them takes a quarter of an hour:
// FILTER_INDEX_BENCH_DIR names a folder (made on first use) whose database the next run uses again, and a load that was
// cut off continues.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, startEmbeddedPostgres } from '@tradewind/testkit';
import pg from 'pg';
import { makeApiKeys } from './api-keys.js';
import type { Bench, BenchRow } from './bench.types.js';
import { BenchProcess } from './bench-process.js';
import { type CompanyFilter, drawCompanyFilters } from './filter-index-filters.js';
import { loadCompanies } from './filter-index-rows.js';
import { median, percentile } from './median.js';

const gatewayMain = new URL('../../../apps/graphql-gateway/dist/main.js', import.meta.url);
const filterCount = 400;
// PostgreSQL alone takes seconds for each at ten million companies.
const filterCountOfPostgres = 60;
const pageSize = 50;
const writes = 40;
const warmUpRounds = 8;

const settings = {
  ENVIRONMENT: 'dev',
  LOG_LEVEL: 'warn',
  OAUTH_ISSUER: 'http://127.0.0.1:9',
  DATA_CALLS_PER_DAY: '1000000000',
  DATA_STATEMENT_TIMEOUT_MS: '60000',
  DATA_PAGE_SIZE: String(pageSize),
  EXPLORER: 'false',
};

export const bench: Bench = {
  name: 'filter-index',
  async run(given) {
    const { scale } = given;
    const log = (line: string) => given.log(line);
    const kept = process.env['FILTER_INDEX_BENCH_DIR'];
    const folder = kept ?? mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), port: await freePort() });
    const sql = new pg.Pool({ connectionString: postgres.url, options: '-c search_path=graphql_gateway', max: 4 });
    // The server ends last; what is idle then is told so.
    sql.on('error', () => undefined);
    try {
      const env = { DATABASE_URL: postgres.url, PATH: process.env['PATH'] ?? '', ...settings };
      execFileSync(process.execPath, [gatewayMain.pathname, 'migrate'], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      await loadCompanies(sql, { databaseUrl: postgres.url, rows: Math.ceil(10e6 * scale), log });
      const [key] = await makeApiKeys(sql, 1);
      const filters = await drawCompanyFilters(sql, filterCount);
      return await compare({ sql, env, key: key!, filters, log });
    } finally {
      await sql.end();
      await postgres.stop();
      if (!kept) rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Stage {
  sql: pg.Pool;
  env: Record<string, string>;
  key: string;
  filters: CompanyFilter[];
  log: (line: string) => void;
}

async function compare(stage: Stage): Promise<BenchRow[]> {
  const { env, filters, log } = stage;
  const gateway = await Gateway.start(env, stage.key);
  const idleMiB = gateway.residentMiB();
  await gateway.stop();
  const indexed = await Gateway.start({ ...env, FILTER_INDEX: 'true', FILTER_INDEX_MEMORY_MAX_MB: '8192' }, stage.key);
  try {
    const building = await whileBuilding(indexed);
    const rows = await indexed.metric('filter_index_rows');
    const bytes = await indexed.metric('filter_index_bytes');
    const seconds = await indexed.metric('filter_index_built_seconds_sum');
    log(`${rows} rows: built in ${seconds.toFixed(1)} s, ${Math.round(bytes / 2 ** 20)} MiB`);
    const alone = await Gateway.start(env, stage.key);
    try {
      // Reads the rows of the pages, so that neither side pays for the disk, and lets V8 optimise what an answer runs through.
      const answers = await eachAnswer(indexed, filters);
      for (let round = 0; round < warmUpRounds; round++) await eachAnswer(indexed, filters);
      const ours = await eachAnswer(indexed, filters);
      log(`the index: ${shown(ours.ms)}`);
      const some = filters.slice(0, filterCountOfPostgres);
      const theirs = await eachAnswer(alone, some);
      log(`PostgreSQL: ${shown(theirs.ms)}`);
      const mismatches = some.filter((_, index) => answers.texts[index] !== theirs.texts[index]).length;
      const written = await afterWrites(stage.sql, indexed, filters);
      log(`after a write each: ${shown(written)}`);
      const residentMiB = indexed.residentMiB();
      const byIndex = await indexed.metric('page_read_total{source="index",reason="answered"}');
      const asked = (2 + warmUpRounds) * filters.length + written.length;
      log(`${byIndex} of ${asked} answered by the index`);
      const millions = rows / 1e6;
      return [
        {
          metric: `count and page of ${pageSize}, random filters on ${rows} companies: p99`,
          unit: 'ms',
          ours: percentile(ours.ms, 0.99),
          peer: percentile(theirs.ms, 0.99),
          limit: '< 15',
          pass: percentile(ours.ms, 0.99) < 15,
        },
        {
          metric: 'the same: median',
          unit: 'ms',
          ours: median(ours.ms),
          peer: median(theirs.ms),
          limit: 'none',
          pass: true,
        },
        {
          metric: 'answers that differ from those of PostgreSQL',
          unit: `of ${some.length}`,
          ours: mismatches,
          limit: '0',
          pass: mismatches === 0,
        },
        {
          metric: 'the first answer after a company was written: p99',
          unit: 'ms',
          ours: percentile(written, 0.99),
          limit: '< 100',
          pass: percentile(written, 0.99) < 100,
        },
        { metric: 'answered by the index', unit: `of ${asked}`, ours: byIndex, limit: 'all', pass: byIndex === asked },
        { metric: 'build in the background', unit: 's', ours: seconds, limit: 'none', pass: true },
        {
          metric: 'longest answer of /health while it builds',
          unit: 'ms',
          ours: building.healthMsMax,
          limit: 'none',
          pass: true,
        },
        {
          metric: 'longest delay of the event loop while it builds',
          unit: 'ms',
          ours: building.loopDelayMsMax,
          limit: '< 100',
          pass: building.loopDelayMsMax < 100,
        },
        {
          metric: 'memory of the index, per million companies',
          unit: 'MiB',
          ours: bytes / 2 ** 20 / millions,
          limit: 'none',
          pass: true,
        },
        {
          metric: 'resident memory of the gateway beside one without the index',
          unit: 'MiB',
          ours: residentMiB,
          peer: idleMiB,
          limit: 'none',
          pass: true,
        },
      ];
    } finally {
      await alone.stop();
    }
  } finally {
    await indexed.stop();
  }
}

async function whileBuilding(gateway: Gateway): Promise<{ healthMsMax: number; loopDelayMsMax: number }> {
  let healthMsMax = 0;
  let loopDelayMsMax = 0;
  while ((await gateway.metric('filter_index_ready')) !== 1) {
    for (let n = 0; n < 20; n++) {
      const startedMs = performance.now();
      await gateway.health();
      healthMsMax = Math.max(healthMsMax, performance.now() - startedMs);
      await delay(5);
    }
    // Of the time since the last look.
    loopDelayMsMax = Math.max(loopDelayMsMax, 1000 * (await gateway.metric('nodejs_eventloop_lag_max_seconds')));
  }
  return { healthMsMax, loopDelayMsMax };
}

async function eachAnswer(gateway: Gateway, filters: CompanyFilter[]): Promise<{ ms: number[]; texts: string[] }> {
  const ms: number[] = [];
  const texts: string[] = [];
  for (const filter of filters) {
    const startedMs = performance.now();
    texts.push(await gateway.ask(filter));
    ms.push(performance.now() - startedMs);
  }
  return { ms, texts };
}

/** The index is behind after each write, and has to catch up before it can answer. */
async function afterWrites(sql: pg.Pool, gateway: Gateway, filters: CompanyFilter[]): Promise<number[]> {
  const ms: number[] = [];
  for (const filter of filters.slice(0, writes)) {
    await sql.query(
      'update company set number_of_employees = number_of_employees where id = (select id from company where id > $1 order by id limit 1)',
      [String(1_000_000_000 + Math.floor(Math.random() * 1_000_000))],
    );
    const startedMs = performance.now();
    await gateway.ask(filter);
    ms.push(performance.now() - startedMs);
  }
  return ms;
}

function shown(ms: readonly number[]): string {
  return `median ${median(ms).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms, longest ${Math.max(...ms).toFixed(1)} ms`;
}

const query = `query ($searchFilters: InputCompanySearchFilters, $topMarkets: [InputTopMarketsFilter!], $officeLocation: [InputOfficeLocationFilter!]) {
  companiesConnection(searchFilters: $searchFilters, topMarkets: $topMarkets, officeLocation: $officeLocation) {
    totalCount edges { node { id name industry { name } country { name } numberOfEmployees revenue { value currency multiplier } } } pageInfo { hasNextPage } } }`;

class Gateway {
  private constructor(
    private readonly process: BenchProcess,
    private readonly metricsUrl: string,
    private readonly key: string,
  ) {}

  static async start(env: Record<string, string>, key: string): Promise<Gateway> {
    const metricsPort = await freePort();
    const process = await BenchProcess.start(gatewayMain, {
      ...env,
      PORT: String(await freePort()),
      METRICS_PORT: String(metricsPort),
    });
    return new Gateway(process, `http://127.0.0.1:${metricsPort}/metrics`, key);
  }

  /** The data of the answer as text. */
  async ask(variables: CompanyFilter): Promise<string> {
    const answer = await fetch(`${this.process.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.key}` },
      body: JSON.stringify({ query, variables }),
    });
    const body = (await answer.json()) as { data?: unknown };
    if (!body.data) throw new Error(`the gateway answered ${JSON.stringify(body).slice(0, 500)}`);
    return JSON.stringify(body.data);
  }

  async health(): Promise<void> {
    await (await fetch(`${this.process.url}/health`)).arrayBuffer();
  }

  /** A metric of the process or the service; 0 while there is none. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(this.metricsUrl)).text();
    const line = text.split('\n').find((each) => each.replace('tradewind_graphql_gateway_', '').startsWith(`${name} `));
    return line === undefined ? 0 : Number(line.split(' ').at(-1));
  }

  residentMiB(): number {
    return this.process.residentMiB();
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
