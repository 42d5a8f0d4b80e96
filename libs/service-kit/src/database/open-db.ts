import type { EntitySchema, MixedList } from 'typeorm';
import { connectionOptions, type DatabaseConfig } from './database-settings.js';
import { Db } from './db.js';
import { untilReachable } from './until-reachable.js';
import { WatchedClient } from './watched-client.js';

/** Classes with TypeORM's `@Entity`, or schemas. */
export type Entities = MixedList<(new (...args: never[]) => unknown) | EntitySchema>;

export interface OpenDbOptions {
  entities?: Entities;
  /**
   * `generic`: each connection plans a named statement once, for all values, and through indexes even while the tables
   * are empty. It suits statements that find rows by key.
   * `custom`, the default: PostgreSQL plans every execution for its values.
   */
  plans?: 'custom' | 'generic';
  /** Run-time parameters of PostgreSQL for each connection. */
  parameters?: Readonly<Record<string, string>>;
  /** How PostgreSQL lists the connections; the schema by default. */
  application?: string;
  /** Called once while the database does not answer at the start. */
  onWait?: (error: unknown) => void;
  /** Called for each connection that is lost while nobody uses it. */
  onIdleConnectionLost?: (error: unknown) => void;
}

// A plan that was made for an empty table reads all of it, and lasts until the table's statistics are renewed.
const genericPlans = [
  '-c plan_cache_mode=force_generic_plan',
  '-c enable_seqscan=off',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
].join(' ');

/** Connects, and waits for a database that starts together with the service. The caller closes the Db. */
export async function openDb(config: DatabaseConfig, options: OpenDbOptions = {}): Promise<Db> {
  // Loaded only here: a service without tables does not carry TypeORM in its memory.
  const { DataSource } = await import('typeorm');
  const { connectionString, application_name, ...extra } = connectionOptions(
    config,
    options.application ?? config.DATABASE_SCHEMA,
  );
  const parameters = Object.entries(options.parameters ?? {}).map(([name, value]) => `-c ${name}=${value}`);
  if (options.plans === 'generic') parameters.unshift(genericPlans);
  const dataSource = new DataSource({
    type: 'postgres',
    url: connectionString as string,
    applicationName: application_name as string,
    schema: config.DATABASE_SCHEMA,
    // TypeORM takes an array or a record; a readonly list of classes is one.
    entities: (options.entities ?? []) as [],
    poolSize: config.DATABASE_POOL_SIZE,
    extra: {
      ...extra,
      options: [extra.options, ...parameters].join(' '),
      max: config.DATABASE_POOL_SIZE,
      Client: WatchedClient,
    },
    synchronize: false,
    migrationsRun: false,
    installExtensions: false,
    logging: false,
    poolErrorHandler: options.onIdleConnectionLost ?? (() => undefined),
  });
  await untilReachable(() => dataSource.initialize(), options.onWait);
  return new Db(dataSource);
}
