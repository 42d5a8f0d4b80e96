// The index in memory of the data API: exact counts and pages of companies for random structured filters, beside
// PostgreSQL alone on the same database. At --scale 1: 10,000,000 companies. Loading them takes a quarter of an hour:
// `--data-dir` names a folder whose database the next run uses again; a load that was cut off continues.
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@tradewind/testkit';
import type pg from 'pg';
import { makeApiKeys } from './api-keys.js';
import type { Bench, BenchRow } from './bench.types.js';
import type { BenchProcess } from './bench-process.js';
import { type CompanyFilter, drawCompanyFilters } from './filter-index-filters.js';
import { loadCompanies } from './filter-index-rows.js';
import { median, percentile } from './median.js';
import { belowRow, noteRow, onStage, type Stage } from './stage.js';

const gatewayMain = new URL('../../../apps/graphql-gateway/dist/main.js', import.meta.url);
const filterCount = 400;
// PostgreSQL alone takes seconds for each at ten million companies.
const filterCountOfPostgres = 60;
const pageSize = 50;
const writes = 40;
const warmUpRounds = 8;
/** The other three are empty. */
const entities = 4;

const settings = {
  OAUTH_ISSUER: 'http://127.0.0.1:9',
  DATA_CALLS_PER_DAY: '1000000000',
  DATA_STATEMENT_TIMEOUT_MS: '60000',
  DATA_PAGE_SIZE: String(pageSize),
  EXPLORER: 'false',
};
const withIndex = { FILTER_ENGINE: 'embedded', FILTER_ENGINE_MEMORY_MAX_MB: '8192' };

export const bench: Bench = {
  name: 'filter-index',
  run: (context) =>
    onStage(
      context,
      async (stage) => {
        const { sql, databaseUrl, scale, log } = stage;
        const env = { ENVIRONMENT: 'dev', LOG_LEVEL: 'warn', DATABASE_URL: databaseUrl, ...settings };
        execFileSync(process.execPath, [gatewayMain.pathname, 'migrate'], {
          env,
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        await loadCompanies(sql, { databaseUrl, rows: Math.ceil(10e6 * scale), log });
        const [key] = await makeApiKeys(sql, 1);
        return compare(stage, key!, await drawCompanyFilters(sql, filterCount));
      },
      { dataDir: context.dataDir, schema: 'graphql_gateway' },
    ),
};

async function compare(stage: Stage, key: string, filters: CompanyFilter[]): Promise<BenchRow[]> {
  const { log, sql } = stage;
  const alone = await Gateway.start(stage, key);
  const aloneMiB = alone.process.residentMiB();
  const indexed = await Gateway.start(stage, key, withIndex);
  const building = await whileBuilding(indexed);
  const rows = await indexed.metric('filter_index_rows');
  const mebibytes = (await indexed.metric('filter_index_bytes')) / 2 ** 20;
  const seconds = await indexed.metric('filter_index_built_seconds_sum{entity="company"}');
  log(`${rows} rows: built in ${seconds.toFixed(1)} s, ${Math.round(mebibytes)} MiB`);
  // Reads the rows of the pages, so that neither side pays for the disk, and lets V8 optimise what an answer runs
  // through.
  const answers = await eachAnswer(indexed, filters);
  for (let round = 0; round < warmUpRounds; round++) await eachAnswer(indexed, filters);
  const ours = await eachAnswer(indexed, filters);
  log(`the index: ${shown(ours.ms)}`);
  const some = filters.slice(0, filterCountOfPostgres);
  const theirs = await eachAnswer(alone, some);
  log(`PostgreSQL: ${shown(theirs.ms)}`);
  const mismatches = some.filter((_, index) => answers.texts[index] !== theirs.texts[index]).length;
  const written = await afterWrites(sql, indexed, filters);
  log(`after a write each: ${shown(written)}`);
  const byIndex = await indexed.metric('page_read_total{source="index",reason="answered"}');
  const asked = (2 + warmUpRounds) * filters.length + written.length;
  const p99 = (ms: readonly number[]) => percentile(ms, 0.99);
  const metric = `count and page of ${pageSize}, random filters on ${rows} companies: p99`;
  return [
    belowRow(metric, 'ms', p99(ours.ms), 15, p99(theirs.ms)),
    noteRow('the same: median', 'ms', median(ours.ms), median(theirs.ms)),
    belowRow('answers that differ from those of PostgreSQL', `of ${some.length}`, mismatches, 1),
    belowRow('the first answer after a company was written: p99', 'ms', p99(written), 100),
    { metric: 'answered by the index', unit: `of ${asked}`, ours: byIndex, limit: 'all', pass: byIndex === asked },
    noteRow('build in the background', 's', seconds),
    noteRow('longest answer of /health while it builds', 'ms', building.healthMsMax),
    belowRow('longest delay of the event loop while it builds', 'ms', building.loopDelayMsMax, 100),
    noteRow('memory of the index, per million companies', 'MiB', mebibytes / (rows / 1e6)),
    noteRow(
      'resident memory of the gateway beside one without the index',
      'MiB',
      indexed.process.residentMiB(),
      aloneMiB,
    ),
  ];
}

async function whileBuilding(gateway: Gateway): Promise<{ healthMsMax: number; loopDelayMsMax: number }> {
  let healthMsMax = 0;
  let loopDelayMsMax = 0;
  while ((await gateway.metric('filter_index_ready')) !== entities) {
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
    readonly process: BenchProcess,
    private readonly metricsUrl: string,
    private readonly key: string,
  ) {}

  static async start(stage: Stage, key: string, more: Record<string, string> = {}): Promise<Gateway> {
    const metricsPort = await freePort();
    const process = await stage.start(gatewayMain, { ...settings, ...more, METRICS_PORT: String(metricsPort) });
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
}
