// Statements that share connections: each gets its own answer, fails alone, and waits for no slow one.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, isDatabaseUnavailable } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase, testPool } from '@tradewind/testkit';
import type pg from 'pg';
import { queryCells, type Cell, type CellsStatement } from './cells-query.js';
import { lineCount, ReadLines } from './read-lines.js';

const echo = (text: string): CellsStatement => ({
  name: 'echo',
  text: 'select $1::text, pg_backend_pid(), null',
  values: [text],
});
const sleep = (seconds: number): CellsStatement => ({ name: 'sleep', text: 'select pg_sleep($1)', values: [seconds] });
const quotient = (by: number): CellsStatement => ({ name: 'quotient', text: 'select 12 / $1::int', values: [by] });

describe('ReadLines', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let lines: ReadLines;
  let elsewhere: string[];
  let overtaken: number;

  beforeEach(async () => {
    database = await createTestDatabase({ name: 'no_tables', migrate: async () => undefined });
    pool = testPool({ connectionString: database.url, max: 4 });
    elsewhere = [];
    overtaken = 0;
    lines = new ReadLines({
      connection: { connectionString: database.url, answerTimeoutMs: 60_000 },
      elsewhere: async (statement) => {
        elsewhere.push(statement.name ?? '');
        return queryCells(pool, statement);
      },
      onOvertaken: (count) => (overtaken += count),
      logger: createLogger({ service: 'test', version: '1', level: 'silent' }),
    });
  });
  afterEach(async () => {
    await lines.close();
    await pool.end();
    await database.drop();
  });

  async function untilOpen(): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt++) {
      elsewhere = [];
      await Promise.all(Array.from({ length: 10 * lineCount }, () => lines.read(echo('open?'))));
      if (elsewhere.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('the lines did not open');
  }

  const backendsOf = (answers: readonly Cell[][][]) => new Set(answers.map(([row]) => row![1]));

  it('does not wait for its connections', async () => {
    expect(await lines.read(echo('at once'))).toEqual([['at once', expect.any(String), null]]);
    expect(elsewhere).toEqual(['echo']);
  });

  it('gives each of many statements its own rows over a few connections', async () => {
    await untilOpen();
    const texts = Array.from({ length: 100 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(texts.map((text) => lines.read(echo(text))));
    expect(answers.map(([row]) => row![0])).toEqual(texts);
    expect(elsewhere).toEqual([]);
    expect(backendsOf(answers).size).toBe(lineCount);
  });

  it('leaves a statement without a name to others', async () => {
    await untilOpen();
    expect(await lines.read({ text: 'select 1', values: [] })).toEqual([['1']]);
    expect(elsewhere).toEqual(['']);
  });

  it('lets a statement fail alone', async () => {
    await untilOpen();
    const results = await Promise.allSettled([3, 0, 4, 0, 6].map((by) => lines.read(quotient(by))));
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value[0]![0] : 'failed'))).toEqual([
      '4',
      'failed',
      '3',
      'failed',
      '2',
    ]);
    expect(elsewhere).toEqual([]);
  });

  it('asks elsewhere what would wait behind a slow statement', async () => {
    await untilOpen();
    const startedAt = performance.now();
    let sleptMs = 0;
    const slow = lines.read(sleep(2)).then(() => (sleptMs = performance.now() - startedAt));
    const texts = Array.from({ length: 10 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(texts.map((text) => lines.read(echo(text))));
    expect(sleptMs).toBe(0);
    expect(answers.map(([row]) => row![0])).toEqual(texts);
    expect(overtaken).toBeGreaterThan(0);
    expect(elsewhere).toEqual(Array(overtaken).fill('echo'));
    await slow;
    expect(sleptMs).toBeGreaterThan(1900);
    await untilOpen();
  });

  it('sends a statement that is not quick elsewhere after a while', async () => {
    await untilOpen();
    for (let count = 0; count < 40 && elsewhere.length === 0; count++) await lines.read(sleep(0.03));
    expect(elsewhere).toEqual(['sleep']);
    await lines.read(echo('quick'));
    expect(elsewhere).toEqual(['sleep']);
  });

  it('gets over the loss of its connections', async () => {
    await untilOpen();
    const answers = await Promise.all([lines.read(echo('a')), lines.read(echo('b'))]);
    const asked = Array.from({ length: 6 }, () => lines.read(sleep(5)));
    const failures = Promise.allSettled(asked);
    for (const backend of backendsOf(answers)) await pool.query('select pg_terminate_backend($1)', [backend]);
    for (const result of await failures) {
      expect(result.status).toBe('rejected');
      expect(isDatabaseUnavailable((result as PromiseRejectedResult).reason)).toBe(true);
    }
    expect(await lines.read(echo('elsewhere'))).toEqual([['elsewhere', expect.any(String), null]]);
    await untilOpen();
  });
});
