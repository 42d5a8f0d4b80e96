// Failures of a real database, of parsers and of Google's clients, each with a text of a user in it: no log line shows
// it.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import { DataSource } from 'typeorm';
import { errorText, loggedError } from './logged-error.js';
import { createLogger } from './logger.js';

const marker = 'MarkerOfTheUser';

/** As graphql-js makes it. */
class GraphQLError extends Error {
  override name = 'GraphQLError';
  constructor(
    message: string,
    readonly originalError?: Error,
  ) {
    super(message);
  }
}

describe('a logged error', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  const lines: string[] = [];
  const logger = createLogger({ service: 'example', level: 'trace' }, { write: (line) => void lines.push(line) });
  beforeAll(async () => {
    database = await createTestDatabase({ name: 'no_tables', migrate: async () => undefined });
    dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    await dataSource.query(
      `create table person(name text constraint person_name_once unique check (name <> '${marker}!'), age int not null)`,
    );
    await dataSource.query('insert into person values ($1, 1)', [marker]);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  /** The entries of the log after every way of logging it. */
  const logged = (error: unknown) => {
    lines.length = 0;
    logger.error({ err: error }, 'with a sentence');
    logger.error({ err: error });
    logger.error(error as never);
    logger.warn({ error }, 'by its other name');
    logger.error({ err: new Error('around it', { cause: error }) }, 'as a cause');
    logger.error({ err: new AggregateError([error], 'several') }, 'as one of several');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const failureOf = (act: () => unknown): Promise<Error> =>
    Promise.resolve()
      .then(act)
      .then(
        () => {
          throw new Error('it did not fail');
        },
        (error: unknown) => error as Error,
      );

  it.each([
    ['a text that is no number', 'select $1::int', [marker], { code: '22P02', statement: 'select' }],
    ['a text that is no date', `select age from person where now() > $1::timestamptz`, [marker], { code: '22007' }],
    [
      'a name that exists',
      'insert into person values ($1, 2)',
      [marker],
      { code: '23505', constraint: 'person_name_once', table: 'person', statement: 'insert into person' },
    ],
    ['a check that fails', 'insert into person values ($1, 3)', [`${marker}!`], { code: '23514', table: 'person' }],
    ['a row without a value', 'insert into person values ($1, null)', [`${marker}2`], { code: '23502', column: 'age' }],
    ['a search that is none', `select to_tsquery($1)`, [`${marker} ${marker}`], { code: '42601' }],
    [
      'a word that is too long',
      `select to_tsvector($1)`,
      [Array.from({ length: 100_000 }, (_, i) => marker + i).join(' ')],
      { code: '54000' },
    ],
    ['JSON that is none', 'select $1::jsonb', [`{"${marker}`], { code: '22P02', routine: expect.any(String) }],
    ['an exception of a function', `do $$ begin raise exception '${marker}' using hint = '${marker}'; end $$`, [], {}],
    ['an expression that is none', `select 'a' ~ $1`, [`(${marker}`], { code: '2201B' }],
    ['a statement that is none', `select ${marker} from person`, [], { code: '42703' }],
  ])('of the database shows nothing of %s', async (_what, sql, parameters, expected) => {
    const error = await failureOf(() => dataSource.query(sql, parameters));
    // The error itself does.
    expect(JSON.stringify([error, error.message, (error as { detail?: unknown }).detail])).toContain(marker);
    const entries = logged(error);
    if (!sql.startsWith('select Marker')) expect(lines.join('')).not.toContain(marker);
    expect(entries[0]!['err']).toMatchObject({ ...expected, stack: expect.stringContaining('logged-error.int-spec') });
    expect(entries[4]).toMatchObject({ err: { message: 'around it', cause: expected } });
    expect(entries[5]).toMatchObject({ err: { errors: [expected] } });
  });

  it('keeps what a database says about itself', async () => {
    expect(errorText(await failureOf(() => dataSource.query('select * from nowhere')))).toBe(
      'relation "nowhere" does not exist',
    );
    const timeout = failureOf(() =>
      dataSource.transaction(async (tx) => {
        await tx.query('set local statement_timeout = 10');
        await tx.query('select pg_sleep(5)');
      }),
    );
    expect(errorText(await timeout)).toBe('canceling statement due to statement timeout');
  });

  it.each<[string, () => unknown]>([
    ['JSON.parse', () => JSON.parse(`{"a": ${marker}}`) as unknown],
    ['BigInt', () => BigInt(marker)],
    ['RegExp', () => new RegExp(`(${marker}`)],
    ['URL', () => new URL(marker)],
    ['URL with a base', () => new URL(`//${marker}:x:y`, 'http://a')],
    ['fetch', () => fetch(marker)],
    ['GraphQL', () => Promise.reject(new GraphQLError(`Variable "$a" got invalid value "${marker}"`))],
    [
      'GraphQL around a parser',
      () =>
        failureOf(() => JSON.parse(marker) as unknown).then((originalError) => {
          throw new GraphQLError(originalError.message, originalError);
        }),
    ],
    [
      'BigQuery',
      () =>
        Promise.reject(
          Object.assign(new Error(`Could not parse '${marker}' as INT64`), {
            name: 'PartialFailureError',
            errors: [{ row: { name: marker }, errors: [{ reason: 'invalid', message: marker }], reason: 'invalid' }],
            response: { body: marker },
          }),
        ),
    ],
    [
      'gRPC',
      () => Promise.reject(Object.assign(new Error(`3 INVALID_ARGUMENT: ${marker}`), { code: 3, details: marker })),
    ],
    [
      'an error with fields',
      () => Promise.reject(Object.assign(new Error('refused'), { input: marker, row: [marker], config: { marker } })),
    ],
  ])('of %s shows nothing of the text', async (_what, act) => {
    const error = await failureOf(act);
    const entries = logged(error);
    expect(lines.join('')).not.toContain(marker);
    expect(entries[0]).toMatchObject({ err: { type: expect.any(String), message: expect.stringMatching(/./) } });
  });

  it('ends at a cause that is its own, and accepts values that are no errors', () => {
    const error = new Error('first');
    error.cause = new Error('second', { cause: error });
    expect(JSON.stringify(loggedError(error)).length).toBeLessThan(20_000);
    expect(loggedError('Bearer abcdefghijk')).toBe('Bearer ***');
    expect(loggedError(undefined)).toBe('something that is no error was thrown');
  });
});
