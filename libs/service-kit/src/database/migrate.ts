import type pg from 'pg';
import { errorText } from '../logged-error.js';
import { connectionOptions, type DatabaseConfig } from './database-settings.js';
import { untilReachable } from './until-reachable.js';
import { WatchedClient } from './watched-client.js';

/** Runs statements on the one connection, inside the one transaction, of a migration. */
export type MigrationQuery = (sql: string, parameters?: unknown[]) => Promise<Record<string, unknown>[]>;

/** One step forward of a schema. Never changed once released; there is no way back but another step. */
export interface Migration {
  /** Four digits and what it does, as its file: `0003-api-keys`. */
  name: string;
  /** SQL, or a function for what SQL alone cannot do. Unqualified names are the service's own schema. */
  up: string | ((query: MigrationQuery) => Promise<void>);
}

/** What of the config a migration needs. A migration may take longer than a request's statement. */
export type MigrationConfig = Pick<DatabaseConfig, 'DATABASE_URL' | 'DATABASE_SCHEMA'>;

const connectionTimeoutMs = 3000;
const statementTimeoutMs = 15 * 60_000;

/**
 * Brings the service's schema up to date: creates it when it is missing, then applies, in the order of their names and each
 * in a transaction, the migrations not applied yet. Replicas that start together wait for one another on an advisory lock.
 * Returns the names applied now. Applying again is harmless; names that are unknown here belong to a newer release and are left alone.
 */
export async function migrateDatabase(config: MigrationConfig, migrations: readonly Migration[]): Promise<string[]> {
  assertOrder(migrations);
  const client = await untilReachable(() => connect(config));
  try {
    // The lock belongs to the session and ends with it, however the process ends.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`migrate ${config.DATABASE_SCHEMA}`]);
    await client.query(`create schema if not exists "${config.DATABASE_SCHEMA}"`);
    await client.query(
      'create table if not exists migration(name text primary key, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ name: string }>('select name from migration');
    const applied = new Set(rows.map(({ name }) => name));
    const pending = migrations.filter(({ name }) => !applied.has(name));
    for (const migration of pending) await apply(client, migration);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

async function connect(config: MigrationConfig): Promise<pg.Client> {
  const client = new WatchedClient(
    connectionOptions(
      {
        ...config,
        DATABASE_POOL_SIZE: 1,
        DATABASE_CONNECTION_TIMEOUT_MS: connectionTimeoutMs,
        DATABASE_STATEMENT_TIMEOUT_MS: statementTimeoutMs,
      },
      `${config.DATABASE_SCHEMA} migration`,
    ),
  );
  // Without a listener a connection lost between two statements would end the process; the next statement reports it.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    if (typeof migration.up === 'string') await client.query(migration.up);
    else
      await migration.up(
        async (sql, parameters) => (await client.query<Record<string, unknown>>(sql, parameters)).rows,
      );
    await client.query('insert into migration(name) values ($1)', [migration.name]);
    await client.query('commit');
  } catch (cause) {
    // The connection may be gone, and the transaction with it.
    await client.query('rollback').catch(() => undefined);
    throw new Error(`Migration ${migration.name} failed: ${errorText(cause)}`, {
      cause,
    });
  }
}

function assertOrder(migrations: readonly Migration[]): void {
  const names = migrations.map(({ name }) => name);
  for (const name of names) {
    if (!/^\d{4}-[a-z0-9-]+$/.test(name)) throw new Error(`Migration "${name}" is not named like 0003-api-keys`);
  }
  const numbers = names.map((name) => name.slice(0, 4));
  if (numbers.some((current, index) => index > 0 && current <= numbers[index - 1]!)) {
    throw new Error(`Migrations are not in the order of their numbers, or share one: ${names.join(', ')}`);
  }
}
