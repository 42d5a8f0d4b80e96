// The data tables as the connections read them: plain rows from pg, no entities. A failure is a 502 after one retry
// (every statement here only reads), a statement that takes too long a 504.
import { hash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  connectionOptions,
  isDatabaseUnavailable,
  Logger,
  ReadinessRegistry,
  WatchedClient,
} from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { type CallerQuery, type Pace, StatementPaces } from './statement-paces.js';
import { StatementPlaces } from './statement-places.js';

export interface Statement {
  text: string;
  values: readonly unknown[];
  /** Its best plan is the same for all values, so PostgreSQL need not plan it for each. */
  isPlannedOnce?: boolean;
  /** For pages and counts: they wait for each other. Others are the gateway's own, which are quick and few. */
  caller?: CallerQuery;
}

// A statement is prepared when it is seen again. The server keeps prepared statements for ever, so few are allowed, and
// their names are never dropped.
const preparedMax = 300;
const seenMax = 3000;
/** Texts are kept, here and by the server, so their length is bounded too. */
const preparedCharsMax = 10_000;
/** Of DATA_POOL_SIZE. */
const plannedOnceConnections = 4;
/** For what the gateway reads for itself, such as versions. */
const ownConnections = 1;
/** A slow statement takes some seconds. */
const slowRetryAfterSeconds = 3;
// When the server goes away, all idle connections break. In this time the pool notices and forgets them.
const retryAfterMs = 100;
const canceledByTimeout = '57014';
const dateOid = 1082;
// Tables of this size are in memory or on a solid state disk, where random reads cost as much as sequential ones. No
// page of records is worth compiling its statement.
const plannerOptions = '-c random_page_cost=1.1 -c jit=off';

@Injectable()
export class DataStore implements OnApplicationShutdown {
  private readonly pool: pg.Pool;
  /** For statements whose plans PostgreSQL keeps. */
  private readonly plannedOncePool: pg.Pool;
  private readonly paces = new StatementPaces();
  private readonly places: Readonly<Record<'slow' | 'quick' | 'plannedOnce', StatementPlaces>>;
  /** Names of statements that were seen once. */
  private readonly seen = new LRUCache<string, true>({ max: seenMax });
  /** Names of prepared statements, by text. */
  private readonly names = new Map<string, string>();

  constructor(
    private readonly config: AppConfig,
    private readonly events: AppEvents,
    logger: Logger,
    readiness: ReadinessRegistry,
  ) {
    const connection = connectionOptions(
      {
        DATABASE_URL: config.DATA_DATABASE_URL ?? config.DATABASE_URL,
        DATABASE_SCHEMA: config.DATABASE_SCHEMA,
        DATABASE_POOL_SIZE: config.DATA_POOL_SIZE,
        DATABASE_CONNECTION_TIMEOUT_MS: config.DATABASE_CONNECTION_TIMEOUT_MS,
        DATABASE_STATEMENT_TIMEOUT_MS: config.DATA_STATEMENT_TIMEOUT_MS,
      },
      'graphql_gateway data',
    );
    const poolOf = (max: number, options: string) => {
      const pool = new pg.Pool({ ...connection, options, max, types: { getTypeParser }, Client: WatchedClient });
      pool.on('error', (error) => logger.warn({ err: error }, 'an idle connection to the data tables was lost'));
      return pool;
    };
    const options = `${connection.options} ${plannerOptions}`;
    this.pool = poolOf(config.DATA_POOL_SIZE - plannedOnceConnections, options);
    this.plannedOncePool = poolOf(plannedOnceConnections, `${options} -c plan_cache_mode=force_generic_plan`);
    this.places = this.makePlaces();
    events.gauge('data_statements_waiting', 'Pages and counts that wait for a place among the statements', () =>
      Object.values(this.places).reduce((total, { waitingCount }) => total + waitingCount, 0),
    );
    readiness.add({
      name: 'data',
      probe: () => this.pool.query('select 1'),
      isEssential: false,
      why: 'data queries are answered 502; log-in and API keys work',
    });
  }

  /** The rows by their columns: bigints and dates as text, lists as arrays, JSON parsed. */
  async query<Row extends object>(statement: Statement): Promise<Row[]> {
    return (await this.run(statement)) as Row[];
  }

  /** The same values in the order of the columns, which pg makes faster. */
  async readRows(statement: Statement): Promise<unknown[][]> {
    return (await this.run(statement, { rowMode: 'array' })) as unknown[][];
  }

  private async run(
    { text, values, isPlannedOnce, caller }: Statement,
    options?: { rowMode: 'array' },
  ): Promise<unknown[]> {
    const statement = { text, values: values as unknown[], ...this.nameOf(text), ...options };
    const pool = isPlannedOnce ? this.plannedOncePool : this.pool;
    const read = () => this.retried(async () => (await pool.query(statement)).rows as unknown[]);
    if (!caller) return read();
    const pace = this.paces.paceOf(caller);
    const places = this.places[pace === 'quick' && isPlannedOnce ? 'plannedOnce' : pace];
    // One that was expected to be quick, and is not, keeps slow ones from beginning.
    let leave = () => {};
    const onSlow = () => {
      if (pace === 'quick') leave = this.places.slow.take();
    };
    return places.run(() => this.paces.measured(caller, read, onSlow).finally(() => leave()));
  }

  /** Together they leave the gateway's own statements a connection. */
  private makePlaces(): typeof this.places {
    const { DATA_POOL_SIZE, DATA_SLOW_STATEMENTS_MAX, DATABASE_CONNECTION_TIMEOUT_MS } = this.config;
    const connections = DATA_POOL_SIZE - plannedOnceConnections - ownConnections;
    const slow = Math.min(DATA_SLOW_STATEMENTS_MAX, Math.max(1, connections - 1));
    const placesOf = (pace: Pace, places: number, retryAfterSeconds: number) =>
      new StatementPlaces({
        places,
        waitMsMax: DATABASE_CONNECTION_TIMEOUT_MS,
        retryAfterSeconds,
        message: `Too many ${pace === 'slow' ? 'slow queries' : 'queries'} are under way; try again in a moment, narrow the filters or leave out totalCount`,
        onRefused: () => this.events.emit('data_statement_refused', { pace }),
      });
    return {
      slow: placesOf('slow', slow, slowRetryAfterSeconds),
      quick: placesOf('quick', Math.max(1, connections - slow), 1),
      plannedOnce: placesOf('quick', plannedOnceConnections, 1),
    };
  }

  private async retried<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || isOutOfTime(error)) throw this.failure(error);
    }
    await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
    try {
      return await read();
    } catch (error) {
      throw this.failure(error);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.pool.end(), this.plannedOncePool.end()]);
  }

  private nameOf(text: string): { name?: string } {
    const known = this.names.get(text);
    if (known) return { name: known };
    if (text.length > preparedCharsMax || this.names.size >= preparedMax) return {};
    const name = `q${hash('sha256', text, 'base64url').slice(0, 22)}`;
    if (!this.seen.has(name)) {
      this.seen.set(name, true);
      return {};
    }
    this.names.set(text, name);
    return { name };
  }

  private failure(cause: unknown): ServiceError {
    const isTimeout = isOutOfTime(cause) || String(cause).includes('Query read timeout');
    this.events.emit('data_store_failed', { reason: isTimeout ? 'timeout' : 'failed', err: cause });
    if (isTimeout) {
      return new ServiceError({
        code: 'data.too_slow',
        status: 504,
        message: `The query took longer than ${this.config.DATA_STATEMENT_TIMEOUT_MS} ms and was stopped; narrow its filters or leave out totalCount`,
        cause,
      });
    }
    return new ServiceError({
      code: 'dependency.unavailable',
      status: 502,
      message: 'The data store does not answer; try again in a moment',
      retryable: true,
      cause,
    });
  }
}

const isOutOfTime = (error: unknown): boolean => (error as { code?: unknown }).code === canceledByTimeout;

/** Dates stay text: a Date would give them a time and a zone. */
const getTypeParser = ((oid: number, format: 'text') =>
  oid === dateOid
    ? (value: string) => value
    : (pg.types.getTypeParser(oid, format) as (value: string) => unknown)) as typeof pg.types.getTypeParser;
