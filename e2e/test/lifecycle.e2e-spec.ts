// Starting and ending: what is left behind, what is kept, and which messages are shown.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { call, until } from '../src/http.js';
import {
  freePortBase,
  isFree,
  isRunning,
  newDataDir,
  PlatformProcess,
  rootDir,
  runDemo,
  serviceNames,
  type ServiceName,
  startTimeoutMs,
} from '../src/platform-process.js';
import { newApiKey } from './suites/data-api.suite.js';

// Two cores may be busy with other tests at the same time.
jest.setTimeout(120_000);

const started: PlatformProcess[] = [];
const start = async (options?: Parameters<typeof PlatformProcess.start>[0]) => {
  const platform = await PlatformProcess.start(options);
  started.push(platform);
  return platform;
};
afterAll(async () => {
  await Promise.all(started.map((platform) => platform.remove()));
}, 60_000);

const typename = (platform: PlatformProcess, key: string) =>
  call('POST', `${platform.url('graphql-gateway')}/graphql`, { bearer: key, body: { query: '{ __typename }' } });

interface MonthReport {
  is_complete: boolean;
  selected: number;
  received: number;
}

/** Undefined until people have been selected. */
async function monthReport(platform: PlatformProcess, month: string): Promise<MonthReport | undefined> {
  const { status, body } = await call<MonthReport>(
    'GET',
    `${platform.url('coordinator')}/months/${month}/report?names=0`,
  );
  return status === 200 && body.selected > 0 ? body : undefined;
}

/** What an operator command of a service prints, run as the README says. */
async function command({ dataDir }: PlatformProcess, service: ServiceName, ...words: string[]): Promise<string> {
  const tradewind = join(rootDir, 'node_modules/.bin/tradewind');
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [tradewind, service, ...words], { env });
  return stdout;
}

/** What it printed is part of the comparison, so that a failure shows the reason. */
async function expectEnd(platform: PlatformProcess, code: number): Promise<void> {
  const ended = await platform.ended;
  const { output } = platform;
  expect({ ...ended, output }).toEqual({ code, signal: null, output });
}

async function expectNothingLeft(platform: PlatformProcess, processes: { name: string; pid: number }[]): Promise<void> {
  const left = await until('the processes to end', 20_000, async () => {
    const running = processes.filter(({ pid }) => isRunning(pid));
    return running.length === 0 ? running : undefined;
  });
  expect(left).toEqual([]);
  for (const port of platform.ports) expect([port, await isFree(port)]).toEqual([port, true]);
}

describe('a life of a platform', () => {
  const portBase = freePortBase();
  const dataDir = newDataDir();
  let key: string;
  let month: string;

  it.each(['PostgreSQL ready', 'six services ready'])(
    'Ctrl-C in the middle of the first start, after "%s", leaves nothing behind',
    async (step) => {
      const platform = PlatformProcess.spawn({ portBase: await portBase, dataDir });
      started.push(platform);
      await platform.untilSaid(step);
      const processes = platform.processes();
      platform.signal('SIGINT');
      await expectEnd(platform, 0);
      await expectNothingLeft(platform, processes);
      expect(existsSync(platform.lockFile)).toBe(false);
    },
    startTimeoutMs + 60_000,
  );

  it(
    'Ctrl-C ends it cleanly, leaves no process behind, and keeps all data for the next start',
    async () => {
      const platform = await start({ portBase: await portBase, dataDir });
      key = await newApiKey(platform, 'demo@example.com', 'demo-password-1');
      expect((await typename(platform, key)).status).toBe(200);
      // Operator commands find the platform by the settings in its data folder, the secrets of its first start
      // included.
      expect(await command(platform, 'identity', 'key', 'list')).toContain('current');
      expect(await command(platform, 'graphql-gateway', 'key', 'list')).toContain(key.slice(0, 8));
      const processes = platform.processes();
      expect(processes.map(({ name }) => name).sort()).toEqual(
        [
          'PostgreSQL',
          'coordinator',
          'graphql-gateway',
          'identity',
          'interactions',
          'priority-api',
          'priority-webhook',
          'provider-simulator',
        ].sort(),
      );
      platform.signal('SIGINT');
      await expectEnd(platform, 0);
      await expectNothingLeft(platform, processes);
      expect(existsSync(platform.lockFile)).toBe(false);
    },
    startTimeoutMs + 60_000,
  );

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'when npm gets %s, the platform that it started ends as on Ctrl-C',
    async (signal) => {
      const platform = await start({ portBase: await portBase, dataDir, byNpm: true });
      const processes = platform.processes();
      platform.signal(signal);
      await platform.ended;
      await expectNothingLeft(platform, processes);
      expect(existsSync(platform.lockFile)).toBe(false);
      expect(platform.output).toContain('stopped; everything is kept');
    },
    startTimeoutMs + 60_000,
  );

  it(
    'when a service and PostgreSQL are killed at work, it names them, starts them again, and still ends cleanly',
    async () => {
      const platform = await start({ portBase: await portBase, dataDir });
      expect((await typename(platform, key)).status).toBe(200);
      const processes = platform.processes();
      // Slow enough that the kill hits profiles and jobs at every stage.
      const slow = (on: string, delaysMs: number[]) =>
        delaysMs.map((delayMs) => ({ on, kind: 'slow', delayMs, probability: 0.5 }));
      await call('PUT', `${platform.url('simulator')}/faults`, {
        body: { faults: [...slow('profile', [500, 1_000]), ...slow('run', [1_500, 2_500])] },
      });
      const run = await call<{ month: string }>('POST', `${platform.url('coordinator')}/run`, { body: {} });
      month = run.body.month;
      await call('POST', `${platform.url('interactions')}/scraper/network/interactions`, {
        body: {
          user_company_id: 'killed-at-work',
          targets: Array.from({ length: 10 }, (_, index) => ({ network_handle: `person-${index}`, entity: 'PERSON' })),
        },
      });
      await until('some profiles to arrive', 60_000, async () => {
        const report = await monthReport(platform, month);
        return report && report.received >= 20 ? report : undefined;
      });
      expect((await monthReport(platform, month))?.is_complete).toBe(false);
      for (const name of ['priority-webhook', 'PostgreSQL']) {
        process.kill(processes.find((started) => started.name === name)?.pid ?? 0, 'SIGKILL');
        await platform.untilSaid(`${name} runs again`);
        expect(platform.output).toContain(`${name} ended (SIGKILL); starting it again in 0.5 s (1 of 5)`);
      }
      for (const name of serviceNames) expect((await call('GET', `${platform.url(name)}/ready`)).status).toBe(200);
      const restarted = platform.processes();
      expect(restarted.map(({ name }) => name).sort()).toEqual(processes.map(({ name }) => name).sort());
      platform.signal('SIGINT');
      await expectEnd(platform, 0);
      await expectNothingLeft(platform, [...processes, ...restarted]);
      expect(existsSync(platform.lockFile)).toBe(false);
    },
    startTimeoutMs + 120_000,
  );

  it(
    'the next start finishes that work, with nothing lost and nothing done twice',
    async () => {
      const platform = await start({ portBase: await portBase, dataDir });
      const report = await until('the month to be complete', 240_000, async () => {
        const found = await monthReport(platform, month);
        return found?.is_complete ? found : undefined;
      });
      const jobs = await until('the jobs to be completed', 120_000, async () => {
        const { body } = await call<{ interactions: { status: string; run_id: string; posts_count: number }[] }>(
          'GET',
          `${platform.url('interactions')}/scraper/network/interactions?user_company_id=killed-at-work`,
        );
        return body.interactions.every(({ status }) => status === 'COMPLETED') ? body.interactions : undefined;
      });
      expect(jobs).toHaveLength(10);
      const ledger = await call<Record<'runs' | 'profiles', { started: number; startedTwice: unknown[] }>>(
        'GET',
        `${platform.url('simulator')}/ledger/summary`,
      );
      expect(ledger.body).toMatchObject({
        runs: { started: 10, startedTwice: [] },
        profiles: { started: report.selected, startedTwice: [] },
      });
      const database = new pg.Client({ connectionString: platform.databaseUrl });
      await database.connect();
      try {
        const calls = await database.query<{ rows: string; profiles: string }>(
          `select count(*) as rows, count(distinct "requestResource") as profiles from warehouse.scraped_profile_calls`,
        );
        expect(calls.rows[0]).toEqual({ rows: String(report.selected), profiles: String(report.selected) });
        const posts = await database.query<{ posts: string }>(
          'select count(*) as posts from warehouse.network_posts where provider_run_id = any($1)',
          [jobs.map(({ run_id }) => run_id)],
        );
        expect(Number(posts.rows[0]?.posts)).toBe(jobs.reduce((sum, job) => sum + job.posts_count, 0));
      } finally {
        await database.end();
      }
      expect(readdirSync(`${dataDir}/objects/scraper-monthly-priority-people`)).toHaveLength(report.selected);
      platform.signal('SIGINT');
      expect((await platform.ended).code).toBe(0);
    },
    startTimeoutMs + 400_000,
  );

  it(
    'when the platform itself is killed, its processes end on their own or at the next start, which works',
    async () => {
      const platform = await start({ portBase: await portBase, dataDir });
      const processes = platform.processes();
      platform.signal('SIGKILL');
      await platform.ended;
      await until('the services to end', 20_000, async () =>
        processes.every(({ name, pid }) => name === 'PostgreSQL' || !isRunning(pid)) ? true : undefined,
      );
      const next = await start({ portBase: await portBase, dataDir });
      expect(processes.some(({ pid }) => isRunning(pid))).toBe(false);
      expect((await typename(next, key)).status).toBe(200);
    },
    2 * startTimeoutMs,
  );

  it('refuses a second platform on its data folder or its ports, and names the obstacle', async () => {
    const other = newDataDir();
    const twice = PlatformProcess.spawn({ portBase: await freePortBase(), dataDir });
    expect((await twice.ended).code).toBe(1);
    expect(twice.output).toContain('A platform already runs on');
    const samePorts = PlatformProcess.spawn({ portBase: await portBase, dataDir: other });
    expect((await samePorts.ended).code).toBe(1);
    expect(samePorts.output).toContain(`${await portBase} (identity)`);
    rmSync(other, { recursive: true, force: true });
  }, 60_000);

  it(
    'two platforms run side by side without sharing data',
    async () => {
      const first = started.at(-1);
      const second = await start();
      if (!first) throw new Error('no platform runs');
      expect((await typename(first, key)).status).toBe(200);
      expect((await typename(second, key)).status).toBe(401);
      const own = await newApiKey(second, 'demo@example.com', 'demo-password-1');
      expect((await typename(second, own)).status).toBe(200);
      expect((await typename(first, own)).status).toBe(401);
    },
    startTimeoutMs + 60_000,
  );
});

it('the demo starts a platform when none runs, and stops it at the end', async () => {
  const own = { portBase: await freePortBase(), dataDir: newDataDir() };
  const { code, output } = await runDemo(own);
  if (code !== 0) throw new Error(output);
  expect(output).toContain('Everything arrived.');
  expect(existsSync(`${own.dataDir}/platform.lock`)).toBe(false);
  expect(await isFree(own.portBase)).toBe(true);
  rmSync(own.dataDir, { recursive: true, force: true });
}, 420_000);
