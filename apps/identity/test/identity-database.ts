// A migrated database of its own for a test.
import { migrateDatabase, openDb, type Db } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import { migrations } from '../src/migrations.js';

export function createIdentityDatabase(): Promise<TestDatabase> {
  return createTestDatabase({
    name: 'identity',
    migrate: async (url) => {
      await migrateDatabase({ DATABASE_URL: url, DATABASE_SCHEMA: 'identity' }, migrations);
    },
  });
}

/** The caller closes the Db. */
export async function openIdentityDb(
  url: string,
  { poolSize, statementTimeoutMs = 15_000 }: { poolSize: number; statementTimeoutMs?: number },
): Promise<Db> {
  return openDb(
    {
      DATABASE_URL: url,
      DATABASE_SCHEMA: 'identity',
      DATABASE_POOL_SIZE: poolSize,
      DATABASE_CONNECTION_TIMEOUT_MS: 30_000,
      DATABASE_STATEMENT_TIMEOUT_MS: statementTimeoutMs,
    },
    { plans: 'generic' },
  );
}
