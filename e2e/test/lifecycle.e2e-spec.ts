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
  startTimeoutMs,
} from '../src/platform-process.js';
import { serviceNames, type ServiceName } from '../src/service-names.js';
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

const typename = (gatewayUrl: string, key: string) =>
  call('POST', `${gatewayUrl}/graphql`, { bearer: key, body: { query: '{ __typename }' } });

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
  expect(existsSync(platform.lockFile)).toBe(false);
}

/** Its tests follow on each other, since a start is what takes long. */
describe('a life of a platform', () => {
  const portBase = freePortBase();
  const dataDir = newDataDir();
  let platform: PlatformProcess;
  let key: string;
  let month: string;
  let demo: { portBase: number; dataDir: string };
  let demoEnded: ReturnType<typeof runDemo>;
  const keyStatus = async () => (await typename(platform.url('graphql-gateway'), key)).status;

  it.each([
    { who: 'npm', signal: 'SIGTERM', step: 'PostgreSQL ready' },
    { who: 'the platform', signal: 'SIGINT', step: 'six services and console ready' },
  ] as const)(
    'when $who gets $signal in its first start, after "$step", nothing is left behind',
    async ({ who, signal, step }) => {
      const byNpm = who === 'npm';
      platform = PlatformProcess.spawn({ portBase: await portBase, dataDir, byNpm });
      started.push(platform);
      await platform.untilSaid(step);
      const processes = platform.processes();
      platform.signal(signal);
      if (byNpm) await platform.ended;
      else await expectEnd(platform, 0);
      await expectNothingLeft(platform, processes);
    },
    startTimeoutMs + 60_000,
  );

  it(
    'a start after that works, and operator commands find the platform by the settings in its data folder',
    async () => {
      platform = await start({ portBase: await portBase, dataDir, byNpm: true });
      expect(
        platform
          .processes()
          .map(({ name }) => name)
          .sort(),
      ).toEqual(['PostgreSQL', 'provider-simulator', 'console', ...serviceNames].sort());
      key = await newApiKey(platform, 'demo@example.com', 'demo-password-1');
      expect(await keyStatus()).toBe(200);
      // The secrets of its first start are among them.
      expect(await command(platform, 'identity', 'key', 'list')).toContain('current');
      expect(await command(platform, 'graphql-gateway', 'key', 'list')).toContain(key.slice(0, 8));
    },
    startTimeoutMs + 60_000,
  );

  it('a second platform on its data folder or its ports is refused, and the obstacle is named', async () => {
    const other = newDataDir();
    const twice = PlatformProcess.spawn({ portBase: await freePortBase(), dataDir });
    const samePorts = PlatformProcess.spawn({ portBase: await portBase, dataDir: other });
    expect((await twice.ended).code).toBe(1);
    expect(twice.output).toContain('A platform already runs on');
    expect((await samePorts.ended).code).toBe(1);
    expect(samePorts.output).toContain(`${await portBase} (identity)`);
    rmSync(other, { recursive: true, force: true });
  }, 60_000);

  it('a service and PostgreSQL that are killed at work are named and started again', async () => {
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
  }, 180_000);

  it('when npm is killed, the platform ends as on Ctrl-C', async () => {
    const processes = platform.processes();
    platform.signal('SIGKILL');
    await platform.ended;
    await expectNothingLeft(platform, processes);
    expect(platform.output).toContain('stopped; everything is kept');
  }, 60_000);

  it(
    'the next start keeps all data, and a demo beside it starts a platform of its own, which shares none of them',
    async () => {
      platform = await start({ portBase: await portBase, dataDir });
      expect(await keyStatus()).toBe(200);
      demo = { portBase: await freePortBase(), dataDir: newDataDir() };
      demoEnded = runDemo(demo);
      const gatewayUrl = `http://127.0.0.1:${demo.portBase + 1}`;
      await until('the demo to refuse the key of the other platform', startTimeoutMs, async () => {
        const answer = await typename(gatewayUrl, key).catch(() => undefined);
        return answer?.status === 401 ? answer : undefined;
      });
    },
    2 * startTimeoutMs,
  );

  it('it finishes the work that was under way, with nothing lost and nothing done twice', async () => {
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
  }, 400_000);

  it('the demo stops its platform at the end', async () => {
    const { code, output } = await demoEnded;
    if (code !== 0) throw new Error(output);
    expect(output).toContain('Everything arrived.');
    expect(existsSync(`${demo.dataDir}/platform.lock`)).toBe(false);
    expect(await isFree(demo.portBase)).toBe(true);
    rmSync(demo.dataDir, { recursive: true, force: true });
    const jobs = await call<{ interactions: { user_company_id: string }[] }>(
      'GET',
      `${platform.url('interactions')}/scraper/network/interactions?limit=200`,
    );
    expect(new Set(jobs.body.interactions.map((job) => job.user_company_id))).toEqual(new Set(['killed-at-work']));
  }, 420_000);

  it(
    'when the platform itself is killed, its processes end on their own or at the next start, which works',
    async () => {
      const processes = platform.processes();
      platform.signal('SIGKILL');
      await platform.ended;
      await until('the services to end', 20_000, async () =>
        processes.every(({ name, pid }) => name === 'PostgreSQL' || !isRunning(pid)) ? true : undefined,
      );
      platform = await start({ portBase: await portBase, dataDir });
      expect(processes.some(({ pid }) => isRunning(pid))).toBe(false);
      expect(await keyStatus()).toBe(200);
    },
    startTimeoutMs + 60_000,
  );

  it('Ctrl-C ends it cleanly and leaves no process behind', async () => {
    const processes = platform.processes();
    platform.signal('SIGINT');
    await expectEnd(platform, 0);
    await expectNothingLeft(platform, processes);
  }, 60_000);
});
