// The rows that benchmarks of the data API read. At --scale 1: 1,000,000 companies, 2,000,000 persons, 1,000,000 deals,
// 1,000,000 contacts.
import { execFileSync } from 'node:child_process';
import type pg from 'pg';
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

/** Runs a program to its end, as an operator does. */
export function runToEnd(
  main: URL,
  words: readonly string[],
  { databaseUrl }: Pick<Stage, 'databaseUrl'>,
  env: Record<string, string> = {},
): void {
  const own = { ENVIRONMENT: 'dev', LOG_LEVEL: 'warn', DATABASE_URL: databaseUrl, PATH: process.env['PATH'] ?? '' };
  execFileSync(process.execPath, [main.pathname, ...words], {
    env: { ...own, ...gatewaySettings, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Brings the tables up to their size; in a folder that was filled before there is nothing left to do. */
export async function fillTables(stage: Stage): Promise<void> {
  const { sql, scale, log } = stage;
  runToEnd(gatewayMain, ['migrate'], stage);
  const rows = (millions: number) => String(Math.ceil(millions * 1e6 * scale));
  log(`loading ${rows(1)} companies, ${rows(2)} persons, ${rows(1)} deals, ${rows(1)} contacts`);
  const before = await tableSizes(sql);
  const counts = ['--companies', rows(1), '--persons', rows(2), '--deals', rows(1), '--contacts', rows(1)];
  runToEnd(seedMain, [...counts, '--owner-ids', contactOwnerIds.join(',')], stage);
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
