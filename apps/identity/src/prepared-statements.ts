// The statements of the hot paths run as named prepared statements on TypeORM's own pool: PostgreSQL parses and plans
// them once per connection. TypeORM's query() cannot name a statement.
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';

/** A statement and the name it is prepared under; unique in the app and at most 63 characters. */
export interface Statement {
  name: string;
  text: string;
}

@Injectable()
export class PreparedStatements {
  private readonly pool: pg.Pool;

  constructor(dataSource: DataSource) {
    // The PostgreSQL driver of TypeORM keeps its pg.Pool as `master`; the general Driver type does not say so.
    this.pool = (dataSource.driver as unknown as { master: pg.Pool }).master;
    // The statements here find rows by key, and one plan, through the index, fits every value: planning anew would cost
    // more than running. The settings keep a plan from being made for a table that happens to be empty at the time.
    Object.assign(this.pool.options, {
      onConnect: (client: pg.ClientBase) =>
        client.query(
          'set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off',
        ),
    });
  }

  /**
   * Runs the statement as a transaction of its own. When it lost against another statement (a deadlock, or a key that
   * the other wrote first) nothing of it has happened, and it is run again on what the other left. When the database
   * gives it up (it took too long, or a lock did) that is the same to callers as a database that does not answer.
   */
  async run<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<pg.QueryResult<Row>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.pool.query<Row>({ ...statement, values });
      } catch (error) {
        if (attempt >= attemptsMax || !isLostRace(error)) throw isGivenUp(error) ? unanswered(error) : error;
        await delay(Math.random() * attempt * pauseMsStep);
      }
    }
  }
}

const attemptsMax = 15;
/** Losers of one race do not meet again at the same moment. */
const pauseMsStep = 5;

const lostRaceStates = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
]);
const givenUpStates = new Set([
  ...lostRaceStates,
  '55P03', // a lock was not available in time
  '57014', // statement timeout
]);
/** Two tabs of one browser replaced their session at the same moment; no other unique key is written by two at once. */
const sessionKey = 'oidc_payload_uid';

function isLostRace(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return (typeof code === 'string' && lostRaceStates.has(code)) || (code === '23505' && constraint === sessionKey);
}

const isGivenUp = (error: unknown): boolean => givenUpStates.has(String((error as { code?: unknown }).code));

/** The very failure that pg reports when it stops waiting by itself, which service-kit answers with a 503. */
const unanswered = (cause: unknown): Error => new Error('Query read timeout', { cause });
