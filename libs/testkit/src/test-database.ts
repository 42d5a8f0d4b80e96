import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  /** Connection string of a database that belongs to this caller alone. */
  url: string;
  drop(): Promise<void>;
}

/**
 * A fresh database on the server of this test run (`TEST_DATABASE_URL`, set by Jest's globalSetup).
 * With a template, the database is a clone of one that `migrate` prepared once per run under that name.
 */
export async function createTestDatabase(template?: {
  name: string;
  migrate: (databaseUrl: string) => Promise<void>;
}): Promise<TestDatabase> {
  const serverUrl = process.env['TEST_DATABASE_URL'];
  if (!serverUrl) throw new Error('TEST_DATABASE_URL is not set: run the tests through Jest with jest.preset.js');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    if (template) {
      const templateName = `template_${template.name}`;
      // One worker prepares a template, the others wait for it on this lock.
      await client.query('select pg_advisory_lock(hashtext($1))', [templateName]);
      try {
        const found = await client.query('select 1 from pg_database where datname = $1', [templateName]);
        if (found.rowCount === 0) {
          // Left behind when an earlier preparation failed.
          await client.query(`drop database if exists "${templateName}_new" with (force)`);
          await client.query(`create database "${templateName}_new"`);
          await template.migrate(databaseUrl(serverUrl, `${templateName}_new`));
          await client.query(`alter database "${templateName}_new" rename to "${templateName}"`);
        }
        // Copies files instead of writing them to the log as well, which takes twice the time.
        await client.query(`create database "${name}" template "${templateName}" strategy file_copy`);
      } finally {
        await client.query('select pg_advisory_unlock(hashtext($1))', [templateName]);
      }
    } else {
      await client.query(`create database "${name}"`);
    }
  } finally {
    await client.end();
  }
  return {
    url: databaseUrl(serverUrl, name),
    async drop() {
      const closing = new pg.Client({ connectionString: serverUrl });
      await closing.connect();
      try {
        await closing.query(`drop database if exists "${name}" with (force)`);
      } finally {
        await closing.end();
      }
    },
  };
}

function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.toString();
}
