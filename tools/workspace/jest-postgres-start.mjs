// Jest's globalSetup: one PostgreSQL server for the whole run. The first project starts it, the others find it.
// Loaded by Jest natively, so it reads the TypeScript source through Node's own type stripping.
import { startEmbeddedPostgres } from '../../libs/testkit/src/embedded-postgres.ts';

export default async function startPostgres() {
  if (process.env.TEST_DATABASE_URL) return;
  const server = await startEmbeddedPostgres({ ephemeral: true });
  process.env.TEST_DATABASE_URL = server.url;
  globalThis.testPostgres = server;
}
