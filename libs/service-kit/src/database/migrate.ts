// The order and the record of migrations. Each step and its record are one transaction, which is tried again when it
// waits too long for a lock. All steps run under a lock of the session. Umzug records a step outside its transaction.
// TypeORM's runner neither locks nor retries, and its error does not name the step. It also wants a class and a number
// of 13 digits for each step, and a table of its own. The release before would not read that table after a rollback.
// With either, everything here but the loop stays.
import { retry, type RetryPolicy } from '@tradewind/shared-types';
import { errorText } from '../logged-error.js';
import { hasLostRace } from './database-failure.js';
import type { DatabaseConfig } from './database-settings.js';
import type { Session, Tx } from './db.js';
import { openDb } from './open-db.js';

/** Runs a statement inside the transaction of a migration. */
export type MigrationQuery = (sql: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** One step forward of a schema. It never changes once it is released. There are no steps back. */
export interface Migration {
  /** Four digits and what it does, as its file: `0003-api-keys`. */
  name: string;
  /** Statements, or a function that makes them. Unqualified names belong to the service's own schema. */
  up: string | ((query: MigrationQuery) => Promise<void>);
}

/** The part of the config that a migration needs. */
export type MigrationConfig = Pick<DatabaseConfig, 'DATABASE_URL' | 'DATABASE_SCHEMA'>;

// One connection, so that the lock ends together with the migration that it guards. A statement may take long.
const connection = {
  DATABASE_POOL_SIZE: 1,
  DATABASE_CONNECTION_TIMEOUT_MS: 3000,
  DATABASE_STATEMENT_TIMEOUT_MS: 15 * 60_000,
};

// While a migration waits for the lock of a table, everything that uses the table waits behind it. So it soon gives
// way, and tries again later: some two minutes in all.
const lockTimeout = '1s';
const givingWay: RetryPolicy = {
  attempts: 60,
  backoffMsMin: 500,
  backoffMsMax: 2000,
  isRetryable: (error) => hasLostRace(error) || (error as { code?: unknown }).code === '55P03',
};

/**
 * Creates the service's schema if it is missing and applies the migrations that are not applied yet, in their order and
 * each in a transaction. Replicas that start together wait for one another. A migration that waits for a lock holds up
 * other work for a second at most. Returns the names applied by this call. Applying again changes nothing. Names that
 * are not in the list belong to a newer release and are left alone.
 */
export async function migrateDatabase(config: MigrationConfig, migrations: readonly Migration[]): Promise<string[]> {
  assertOrder(migrations);
  const db = await openDb({ ...config, ...connection });
  try {
    return await db.session((session) => applyPending(session, config.DATABASE_SCHEMA, migrations));
  } finally {
    await db.close();
  }
}

async function applyPending(session: Session, schema: string, migrations: readonly Migration[]): Promise<string[]> {
  // The lock belongs to the session and ends with it, even if the process is killed.
  await session.rows('select pg_advisory_lock(hashtextextended($1, 0))', [`migrate ${schema}`]);
  await session.rows(`create schema if not exists "${schema}"`);
  await session.rows(
    'create table if not exists migration(name text primary key, applied_at timestamptz not null default now())',
  );
  const applied = new Set((await session.rows<{ name: string }>('select name from migration')).map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !applied.has(name));
  for (const { name, up } of pending) {
    try {
      const apply = async (tx: Tx) => {
        await tx.rows(`set local lock_timeout = '${lockTimeout}'`);
        if (typeof up === 'string') await tx.rows(up);
        else await up((sql, values) => tx.rows(sql, values));
        await tx.rows('insert into migration(name) values ($1)', [name]);
      };
      await retry(() => session.transaction(apply), givingWay);
    } catch (cause) {
      throw new Error(`Migration ${name} failed: ${errorText(cause)}`, { cause });
    }
  }
  return pending.map(({ name }) => name);
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
