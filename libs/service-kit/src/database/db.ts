// The one way to the database: raw SQL and TypeORM's repositories over the same pool, so that DATABASE_POOL_SIZE limits
// both together. TypeORM owns the pool, and lends connections through its public QueryRunner.
import type pg from 'pg';
import { retry, type RetryPolicy } from '@tradewind/shared-types';
import type { DataSource, EntityManager, EntityTarget, ObjectLiteral, QueryRunner, Repository } from 'typeorm';
import { hasLostRace } from './database-failure.js';

/**
 * A statement that each connection parses once and keeps under its name. The name is at most 63 characters long and
 * belongs to one text in the whole app.
 */
export interface NamedStatement {
  name: string;
  text: string;
}

/**
 * What can be done on the pool, on one connection, or inside a transaction. Errors are TypeORM's QueryFailedError with
 * the fields of PostgreSQL (`code`, `constraint`), or what `isDatabaseUnavailable` recognises.
 */
export interface Queries {
  /** The rows that the statement returns. */
  rows<Row extends object>(sql: string | NamedStatement, values?: readonly unknown[]): Promise<Row[]>;
  /** The number of rows that the statement inserted, updated or deleted. */
  affected(sql: string | NamedStatement, values?: readonly unknown[]): Promise<number>;
  /** The repository of an entity that was given to `DatabaseModule.forRoot`. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity>;
}

class Connection implements Queries {
  constructor(
    private readonly client: pg.ClientBase,
    private readonly manager: EntityManager,
  ) {}

  async rows<Row extends object>(sql: string | NamedStatement, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.query<Row>(sql, values)).rows;
  }

  async affected(sql: string | NamedStatement, values: readonly unknown[] = []): Promise<number> {
    return (await this.query(sql, values)).rowCount ?? 0;
  }

  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return this.manager.getRepository(entity);
  }

  private async query<Row extends object>(
    sql: string | NamedStatement,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const statement = typeof sql === 'string' ? { text: sql } : sql;
    try {
      return await this.client.query<Row>({ ...statement, values: [...values] });
    } catch (cause) {
      const { QueryFailedError } = await import('typeorm');
      // Without the values: they belong to users.
      throw new QueryFailedError(statement.text, undefined, cause as Error);
    }
  }
}

/** A connection of its own, outside a transaction. */
export class Session extends Connection {
  constructor(
    private readonly connection: pg.Client,
    private readonly runner: QueryRunner,
  ) {
    super(connection, runner.manager);
  }

  /** A transaction on this connection. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return transaction(this.runner.manager, work);
  }

  release(): Promise<void> {
    return this.runner.release();
  }

  /** Closes the connection, which the pool then replaces: for one that may still hold a lock of its session. */
  async end(): Promise<void> {
    // Not awaited: a server that hangs never confirms it. The pool takes back no connection that is closing.
    void this.connection.end();
    await this.runner.release();
  }
}

/** An open transaction. Services open it with `Db.transaction` and hand it to the stores. */
export class Tx extends Connection {
  // Keeps a connection without a transaction from being taken for one.
  declare private readonly isTransaction: true;
}

/** Five tries take PostgreSQL five seconds when each ends in a deadlock, which it finds after a second. */
const lostRaces: RetryPolicy = { attempts: 5, backoffMsMin: 10, backoffMsMax: 200, isRetryable: hasLostRace };

/** Runs a statement or transaction again that met a deadlock or a serialization failure. */
function retryLostRaces<T>(run: () => Promise<T>): Promise<T> {
  return retry(run, lostRaces);
}

/**
 * The pool. A statement or transaction that meets a deadlock or a serialization failure runs again, five times in all.
 * Then it fails with an error that `isDatabaseUnavailable` recognises. Only what runs through `session`, `connect` and
 * `repository` is tried once.
 */
export class Db implements Queries {
  /** Takes an initialized DataSource; apps inject the Db of `DatabaseModule`. */
  constructor(private readonly dataSource: DataSource) {}

  rows<Row extends object>(sql: string | NamedStatement, values?: readonly unknown[]): Promise<Row[]> {
    return retryLostRaces(() => this.session((session) => session.rows<Row>(sql, values)));
  }

  affected(sql: string | NamedStatement, values?: readonly unknown[]): Promise<number> {
    return retryLostRaces(() => this.session((session) => session.affected(sql, values)));
  }

  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    return this.dataSource.getRepository(entity);
  }

  /**
   * Commits when `work` resolves and rolls back when it rejects, with its error. It may run several times, so it has no
   * effects outside the transaction.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return retryLostRaces(() => transaction(this.dataSource.manager, work));
  }

  /** Keeps one connection for `work`, outside a transaction. */
  async session<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.connect();
    try {
      return await work(session);
    } finally {
      await session.release();
    }
  }

  /** A connection that its holder releases: for a lock that outlives a call. Elsewhere `session` is enough. */
  async connect(): Promise<Session> {
    const runner = this.dataSource.createQueryRunner();
    return new Session((await runner.connect()) as pg.Client, runner);
  }

  async close(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

function transaction<T>(on: EntityManager, work: (tx: Tx) => Promise<T>): Promise<T> {
  return on.transaction(async (manager) => {
    const client = (await manager.queryRunner?.connect()) as pg.ClientBase;
    return work(new Tx(client, manager));
  });
}
