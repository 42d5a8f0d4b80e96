// Each rule finds the fault that is planted for it in a small server, and no rule finds one in a sound server.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { requestRules, runRules } from './rules/all-rules.js';
import { refusedWriteNothing } from './rules/refused-write-nothing.js';
import { runFuzz } from './run-fuzz.js';

interface Reply {
  status: number;
  text: string;
}
const refusal: Reply = { status: 400, text: '{"message":"no","error":"Bad Request","statusCode":400}' };

/** Replaces interactions and refuses everything, unless a fault is planted. Time passes only when it says so. */
class PlantedServer {
  nowMs = 0;
  /** Answers so far, without those to probes and readings. */
  answers = 0;
  readonly figures = { eventLoopDelayMs: 0, processorMs: 0, heapBytes: 50 * 2 ** 20, startedAt: 1 };
  /** @param request path and body. Undefined ends the connection. */
  answer: (request: string) => Reply | undefined | Promise<Reply> = () => refusal;
  onProbe: () => void = () => undefined;
  isGone = false;
  /** It has the pages of identity, too. */
  hasPages = false;
  readonly logsDir = mkdtempSync(join(tmpdir(), 'tradewind-fuzz-spec-'));
  private server: Server | undefined;

  async start(): Promise<string> {
    const server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('error', () => undefined);
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        if (incoming.url === '/metrics') return this.isGone ? outgoing.destroy() : outgoing.end(this.metrics());
        if (incoming.url === '/health') this.onProbe();
        else this.answers += 1;
        const request = `${incoming.url} ${Buffer.concat(chunks).toString()}`;
        void Promise.resolve(this.answer(request)).then((reply) =>
          reply ? outgoing.writeHead(reply.status).end(reply.text) : outgoing.destroy(),
        );
      });
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // The address of a server that listens on a port.
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  log(level: string, text: string): void {
    appendFileSync(join(this.logsDir, 'interactions.log'), `${JSON.stringify({ level, msg: text })}\n`);
  }

  async stop(): Promise<void> {
    const { server } = this;
    server?.closeAllConnections();
    if (server) await new Promise((resolve) => server.close(resolve));
    rmSync(this.logsDir, { recursive: true });
  }

  private metrics(): string {
    const { eventLoopDelayMs, processorMs, heapBytes, startedAt } = this.figures;
    this.figures.eventLoopDelayMs = 0;
    return [
      `nodejs_eventloop_lag_max_seconds ${eventLoopDelayMs / 1000}`,
      `process_cpu_seconds_total ${processorMs / 1000}`,
      `nodejs_heap_size_used_bytes ${heapBytes}`,
      `process_start_time_seconds ${startedAt}`,
    ].join('\n');
  }
}

interface Plant {
  server: PlantedServer;
  insertInto: (table: string) => Promise<void>;
}
type Case = readonly [what: string, plant: (plant: Plant) => void, hostileClass?: string];

const answers = (reply: Partial<Reply>) => (plant: Plant) => {
  plant.server.answer = () => ({ ...refusal, ...reply });
};
/** @param act what it does with the first so many requests before it answers */
const acts =
  (act: (plant: Plant, request: string) => void | Promise<void>, times = Infinity) =>
  (plant: Plant) => {
    plant.server.answer = async (request) => {
      if (plant.server.answers <= times && !request.startsWith('/health')) await act(plant, request);
      return refusal;
    };
  };
const isLate = ({ server }: Plant) => void (server.nowMs += 1_100);
const holdsTheLoop =
  (processorMs: number) =>
  ({ server: { figures } }: Plant) => {
    figures.eventLoopDelayMs = 250;
    figures.processorMs += processorMs;
  };

const planted: Record<string, readonly Case[]> = {
  'no answer is a 5xx': [['it answers 500', answers({ status: 500 })]],
  'every request gets an answer': [['connections end', ({ server }) => void (server.answer = () => undefined)]],
  'no answer shows a stack or SQL': [
    ['an answer has a stack', answers({ text: 'Error: no\n    at run (/app/main.js:10:4)' })],
    ['an answer quotes PostgreSQL', answers({ text: 'relation "account" does not exist' })],
  ],
  'what must be refused is refused': [['broken JSON is accepted', answers({ status: 200 }), 'broken JSON']],
  'every answer comes within 1 s': [['each answer takes 1.1 s', acts(isLate)]],
  'no request holds the event loop for 200 ms': [['each request computes for 0.25 s', acts(holdsTheLoop(250))]],
  'memory is flat': [['each request leaves 1 MB', acts(({ server }) => void (server.figures.heapBytes += 2 ** 20))]],
  'no service dies': [
    ['it starts again', acts(({ server }) => void (server.figures.startedAt = 2))],
    ['it is gone', acts(({ server }) => void (server.isGone = true))],
  ],
  'browsers stay signed in': [['its pages refuse them', ({ server }) => void (server.hasPages = true)]],
  'no error log quotes a request': [['an error has the body', acts(({ server }, text) => server.log('error', text))]],
  'refused requests write nothing': [
    ['a refusal writes a row', acts(({ insertInto }) => insertInto('public.job')), 'broken JSON'],
  ],
};

const sound: readonly Case[] = [
  ['it refuses everything', () => undefined],
  [
    'its pages are shown',
    ({ server }) => {
      server.hasPages = true;
      server.answer = (request) => (/^\/(account|login)/.test(request) ? { status: 200, text: '' } : refusal);
    },
  ],
  ['one connection ends', ({ server }) => void (server.answer = () => (server.answers === 1 ? undefined : refusal))],
  ['one answer is late', acts(isLate, 1)],
  [
    'every answer of a busy machine is late',
    (plant) => {
      acts(isLate)(plant);
      plant.server.onProbe = () => isLate(plant);
    },
  ],
  ['the loop is held once', acts(holdsTheLoop(250), 40)],
  ['the loop of a busy machine is held without computing', acts(holdsTheLoop(0))],
  ['each request leaves 10 KB', acts(({ server }) => void (server.figures.heapBytes += 10 * 2 ** 10))],
  ['a log that is no error has the body', acts(({ server }, text) => server.log('info', text))],
  ['a refused login is counted', acts(({ insertInto }) => insertInto('identity.attempt_window')), 'broken JSON'],
];

describe('a run', () => {
  let database: TestDatabase;
  let sql: pg.Client;
  /** A process that ignores the signal that collects garbage, since the server is in the process of the tests. */
  let sleeper: ChildProcess;
  let server: PlantedServer;

  beforeAll(async () => {
    database = await createTestDatabase();
    sql = new pg.Client({ connectionString: database.url });
    await sql.connect();
    await sql.query(
      'create table public.job(id int); create schema identity; create table identity.attempt_window(id int)',
    );
    sleeper = spawn('sh', ['-c', 'trap "" USR2; echo ready; exec sleep 120'], { stdio: ['ignore', 'pipe', 'ignore'] });
    await new Promise((resolve) => sleeper.stdout?.once('data', resolve));
  });
  afterAll(async () => {
    sleeper.kill('SIGKILL');
    await sql.end();
    await database.drop();
  });
  beforeEach(() => {
    server = new PlantedServer();
  });
  afterEach(() => server.stop());

  async function findings(plant: Case[1], hostileClass = 'documented'): Promise<string[]> {
    plant({ server, insertInto: async (table) => void (await sql.query(`insert into ${table} values (1)`)) });
    const url = await server.start();
    const page = { cookie: 'a=b', csrf: 'c', version: '1', uid: 'd' };
    const target = {
      ...(server.hasPages && { browsers: { account: page, signsOut: page, signsOutEverywhere: page, login: page } }),
      ...{
        urls: { interactions: url, ...(server.hasPages && { identity: url }) },
        metricsUrls: { interactions: url },
        logsDir: server.logsDir,
      },
      ...{ processIds: { interactions: sleeper.pid ?? 0 }, databaseUrl: database.url },
      tokens: { apiKey: 'svc_x', jwt: 'a.b.c', webhooks: { interactions: 'secret' } },
    };
    const options = { requests: 60, seed: 1, nowMs: () => server.nowMs, settleMs: 0 };
    return (await runFuzz(target, { ...options, ...(hostileClass === 'all' ? {} : { only: hostileClass }) })).findings;
  }

  const cases = Object.entries(planted).flatMap(([rule, each]) =>
    each.map(([what, plant, hostileClass]) => ({ rule, what, plant, hostileClass })),
  );
  it.each(cases)('$rule: finds it when $what', async ({ rule, plant, hostileClass }) => {
    const found = await findings(plant, hostileClass);
    expect(found.length).toBeGreaterThan(0);
    for (const finding of found) expect(finding).toContain(`${rule}: `);
  });

  const soundCases = sound.map(([what, plant, hostileClass]) => ({ what, plant, hostileClass }));
  it.each(soundCases)('finds nothing when $what', async ({ plant, hostileClass }) => {
    expect(await findings(plant, hostileClass)).toEqual([]);
  });

  it('finds nothing when a sound server gets the requests of all classes', async () => {
    expect(await findings(() => undefined, 'all')).toEqual([]);
  });

  it('has a planted fault for every rule', () => {
    const rules = [...requestRules, ...runRules, refusedWriteNothing].map(({ name }) => name);
    expect(Object.keys(planted).toSorted()).toEqual(rules.toSorted());
  });
});
