// The rows that benchmarks of the data API read.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RecordEntity } from '@tradewind/filters';
import type pg from 'pg';
import type { BenchContext } from './bench.types.js';
import type { Stage } from './stage.js';

export const gatewayMain = new URL('../../../apps/graphql-gateway/dist/main.js', import.meta.url);
const seedMain = new URL('../../seed/dist/seed.js', import.meta.url);

export const gatewaySettings = {
  OAUTH_ISSUER: 'http://127.0.0.1:9',
  DATA_CALLS_PER_DAY: '1000000000',
  EXPLORER: 'false',
};

/** Users who own the contacts that somebody owns: half of them. */
export const contactOwnerIds: readonly string[] = Array.from(
  { length: 20 },
  (_, index) => `6f2b1c34-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
);

/**
 * Runs a program to its end, as an operator does. This process reads the log of PostgreSQL meanwhile: PostgreSQL would
 * wait when its pipe is full.
 * @throws when the program fails
 */
export async function runToEnd(
  main: URL,
  words: readonly string[],
  { databaseUrl }: Pick<Stage, 'databaseUrl'>,
  env: Record<string, string> = {},
): Promise<void> {
  const own = { ENVIRONMENT: 'dev', LOG_LEVEL: 'warn', DATABASE_URL: databaseUrl, PATH: process.env['PATH'] ?? '' };
  const child = spawn(process.execPath, [main.pathname, ...words], {
    env: { ...own, ...gatewaySettings, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${signal ?? `exit code ${code}`}`);
}

/** Rows of each table at `--scale 1`. */
export type TableRows = Readonly<Record<RecordEntity, number>>;

export const usualRows: TableRows = { company: 1e6, person: 2e6, deal: 1e6, contact: 1e6 };

const plurals: Readonly<Record<RecordEntity, string>> = {
  company: 'companies',
  person: 'persons',
  deal: 'deals',
  contact: 'contacts',
};

function scaled(rows: TableRows, { scale }: BenchContext): [plural: string, count: number][] {
  return (['company', 'person', 'deal', 'contact'] as const)
    .map((entity): [string, number] => [plurals[entity], Math.ceil(rows[entity] * scale)])
    .filter(([, count]) => count > 0);
}

/** Such as "1,000,000 companies, 2,000,000 persons". */
export function rowCounts(rows: TableRows, context: BenchContext): string {
  return scaled(rows, context)
    .map(([plural, count]) => `${count.toLocaleString('en-US')} ${plural}`)
    .join(', ');
}

/** Brings the tables up to their size; in a folder that was filled before there is nothing left to do. */
export async function fillTables(stage: Stage, rows: TableRows = usualRows): Promise<void> {
  const { sql, log } = stage;
  await runToEnd(gatewayMain, ['migrate'], stage);
  log(`loading ${rowCounts(rows, stage)}`);
  const before = await tableSizes(sql);
  const counts = scaled(rows, stage).flatMap(([plural, count]) => [`--${plural}`, String(count)]);
  await runToEnd(seedMain, [...counts, '--owner-ids', contactOwnerIds.join(',')], stage);
  if ((await tableSizes(sql)) === before) return;
  await sql.query('vacuum analyze');
  await sql.query('checkpoint');
}

async function tableSizes(sql: pg.Pool): Promise<string> {
  const { rows } = await sql.query<{ sizes: string }>(
    `select string_agg(pg_relation_size(name::regclass)::text, ' ') as sizes from unnest(array['company', 'person', 'deal', 'contact']) name`,
  );
  return rows[0]!.sizes;
}
