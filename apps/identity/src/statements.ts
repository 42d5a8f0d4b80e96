// Statements and transactions that other requests may race with. One that lost a race has changed nothing, and runs
// again on what the winner left.
import { Injectable } from '@nestjs/common';
import { Db, type NamedStatement, type Tx } from '@tradewind/service-kit';
import { retry } from '@tradewind/shared-types';

const lostRaceStates = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
]);
const givenUpStates = new Set([
  ...lostRaceStates,
  '55P03', // a lock was not available in time
  '57014', // statement timeout
]);
/** Two tabs of one browser replaced their session at the same moment. No other unique key is written concurrently. */
const sessionKey = 'oidc_payload_uid';

@Injectable()
export class Statements {
  constructor(private readonly db: Db) {}

  rows<Row extends object>(statement: NamedStatement, values: readonly unknown[]): Promise<Row[]> {
    return untilItWins(() => this.db.rows<Row>(statement, values));
  }

  /** The number of rows that the statement inserted, updated or deleted. */
  affected(statement: NamedStatement, values: readonly unknown[]): Promise<number> {
    return untilItWins(() => this.db.affected(statement, values));
  }

  /** A single statement of a repository. */
  run<T>(statement: () => Promise<T>): Promise<T> {
    return untilItWins(statement);
  }

  /** A transaction that runs again from its beginning: `work` has no effects outside it. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return untilItWins(() => this.db.transaction(work));
  }
}

async function untilItWins<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await retry(run, { attempts: 15, backoffMsMin: 5, backoffMsMax: 75, isRetryable: hasLostRace });
  } catch (error) {
    throw isGivenUp(error) ? unanswered(error) : error;
  }
}

function hasLostRace(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return (typeof code === 'string' && lostRaceStates.has(code)) || (code === '23505' && constraint === sessionKey);
}

const isGivenUp = (error: unknown): boolean => givenUpStates.has(String((error as { code?: unknown }).code));

/** What service-kit answers with a 503, as for a database that does not answer. */
const unanswered = (cause: unknown): Error => new Error('Query read timeout', { cause });
