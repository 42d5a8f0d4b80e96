import { integer, secretUrl, str } from '@tradewind/shared-types';
import type { PoolConfig } from 'pg';
import type { WatchedClientConfig } from './watched-client.js';

/** Settings of an app that keeps tables in PostgreSQL, in a schema of its own. */
export function databaseSettings(defaults: { schema: string }) {
  return {
    DATABASE_URL: secretUrl({
      desc: 'Connection string of the PostgreSQL database',
      devDefault: 'postgres://postgres:postgres@127.0.0.1:4432/postgres',
      example: 'postgres://user:password@host:5432/tradewind',
    }),
    DATABASE_SCHEMA: str({ desc: "Schema that holds this service's tables", default: defaults.schema }),
    // Six services with three replicas each stay below 200 connections.
    DATABASE_POOL_SIZE: integer({ desc: 'Most connections that one process opens', default: 10, min: 1 }),
    DATABASE_CONNECTION_TIMEOUT_MS: integer({
      desc: 'Longest wait for a connection, milliseconds; then the request is answered with 503',
      default: 3000,
      min: 1,
    }),
    DATABASE_STATEMENT_TIMEOUT_MS: integer({
      desc: 'Longest run of one statement before the database cancels it, milliseconds',
      default: 15_000,
      min: 1,
    }),
  };
}

/**
 * How long a pool keeps a connection that nobody uses, milliseconds. After pg's 10 seconds, callers that pause longer
 * would wait for a new connection and its plans each time.
 */
const idleTimeoutMillis = 600_000;

/** The values of `databaseSettings`. */
export interface DatabaseConfig {
  readonly DATABASE_URL: string;
  readonly DATABASE_SCHEMA: string;
  readonly DATABASE_POOL_SIZE: number;
  readonly DATABASE_CONNECTION_TIMEOUT_MS: number;
  readonly DATABASE_STATEMENT_TIMEOUT_MS: number;
}

/**
 * Options of a WatchedClient, or of a pool of them (`Client: WatchedClient`). A connection sees only the service's
 * schema (docs/decisions/0001-one-schema-per-app.md).
 */
export function connectionOptions(
  config: DatabaseConfig,
  application: string,
): WatchedClientConfig & Pick<PoolConfig, 'idleTimeoutMillis'> {
  if (!/^[a-z_][a-z0-9_]*$/.test(config.DATABASE_SCHEMA)) {
    throw new Error(`DATABASE_SCHEMA must be a plain lower-case name, not "${config.DATABASE_SCHEMA}"`);
  }
  return {
    connectionString: config.DATABASE_URL,
    application_name: application,
    connectionTimeoutMillis: config.DATABASE_CONNECTION_TIMEOUT_MS,
    keepAlive: true,
    idleTimeoutMillis,
    // The server cancels a slow statement first. The client gives up only on a server that hangs.
    answerTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS + 1000,
    options: [
      `-c search_path=${config.DATABASE_SCHEMA}`,
      `-c statement_timeout=${config.DATABASE_STATEMENT_TIMEOUT_MS}`,
      // Filters differ widely in how many rows they match, so no generic plan fits them all.
      '-c plan_cache_mode=force_custom_plan',
    ].join(' '),
  };
}
