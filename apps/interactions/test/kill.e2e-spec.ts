// The built service as processes of its own, two replicas, killed with SIGKILL at random moments while jobs are
// triggered, run and are stored. KILL_JOBS and KILL_TIMES make it longer; KILL_SEED repeats one sequence.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compileCacheSetting, freePort } from '@tradewind/testkit';
import { expectAgreement } from './agreement.js';
import { InteractionsWorld, person } from './interactions-app.js';

const jobs = Number(process.env['KILL_JOBS'] ?? 200);
const kills = Number(process.env['KILL_TIMES'] ?? 4);
const seed = Number(process.env['KILL_SEED'] ?? 7);
const jobsPerRequest = 25;
const main = new URL('../dist/main.js', import.meta.url);

/** mulberry32, so that a seed repeats the same sequence. */
function seededRandom(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

class ReplicaProcess {
  private child: ChildProcess | undefined;
  private output = '';

  private constructor(
    readonly port: number,
    private readonly metricsPort: number,
    private readonly settings: Record<string, string>,
  ) {}

  static async create(settings: Record<string, string>): Promise<ReplicaProcess> {
    return new ReplicaProcess(await freePort(), await freePort(), settings);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [main.pathname], {
      env: {
        ...this.settings,
        ...compileCacheSetting(),
        PORT: String(this.port),
        METRICS_PORT: String(this.metricsPort),
        WEBHOOK_BASE_URL: this.url,
        LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-4_000)));
    }
    const deadline = performance.now() + 90_000;
    while (!(await this.isHealthy())) {
      if (child.exitCode !== null || performance.now() > deadline) throw new Error(`no start: ${this.output}`);
      await delay(50);
    }
  }

  async kill(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  private async isHealthy(): Promise<boolean> {
    return fetch(`${this.url}/health`).then(
      (response) => response.ok,
      () => false,
    );
  }
}

describe(`${jobs} jobs on two replicas that are killed ${kills} times`, () => {
  let world: InteractionsWorld;
  let replicas: ReplicaProcess[];

  beforeAll(async () => {
    // NOTE: Jest reads the sources, but this test runs what `nx build` made of them; nx builds before it tests.
    expect(existsSync(main)).toBe(true);
    world = await InteractionsWorld.start({ replicas: 0, simulator: { runDurationMs: { min: 200, max: 1_500 } } });
    world.simulator.setFaults([
      { on: 'run.start', kind: 'timeout_after', probability: 0.03, delayMs: 1_500 },
      { on: 'run.start', kind: 'error_after', probability: 0.03 },
      { on: 'run.webhook', kind: 'twice', probability: 0.1 },
      { on: 'run.webhook', kind: 'never', probability: 0.1 },
    ]);
    const settings = {
      ...world.settings,
      ...{ PROVIDER_SLOTS: '40', ITEM_PAGE_SIZE: '20', ANSWER_BUDGET_MS: '1500', COMPANY_BUDGET_USD: '1000' },
    };
    replicas = [await ReplicaProcess.create(settings), await ReplicaProcess.create(settings)];
    await Promise.all(replicas.map((replica) => replica.start()));
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()));
    await world.stop();
  });

  it(
    'every job ends, none is started twice, no item is lost and no row is there twice',
    async () => {
      const random = seededRandom(seed);
      const handles = Array.from({ length: jobs }, (_, n) => `kill-${n}`);
      let isTriggering = true;
      const triggering = triggerAll(handles, random).finally(() => (isTriggering = false));
      for (let n = 0; n < kills || isTriggering; n++) {
        await delay(100 + random() * 900);
        if (n >= kills) continue;
        const replica = replicas[Math.floor(random() * replicas.length)]!;
        await replica.kill();
        await delay(random() * 300);
        await replica.start();
      }
      await triggering;
      const rows = await world.finished(240_000);
      expect(rows.map((row) => row.networkUsername).sort()).toEqual(handles.toSorted());
      expect(rows.filter((row) => row.status !== 'COMPLETED')).toEqual([]);
      await expectAgreement(world);
      expect(await jobsWithoutTheirCalls()).toEqual([]);
      const { runs } = world.simulator.summary();
      expect(runs).toMatchObject({ started: jobs, startedTwice: [], ended: { SUCCEEDED: jobs } });
    },
    600_000 + jobs * 1_000,
  );

  /** Jobs whose timeline lacks how their run was found, before it was recorded, or that its items were read. */
  async function jobsWithoutTheirCalls(): Promise<{ networkUsername: string }[]> {
    const { rows } = await world.sql.query<{ networkUsername: string }>(
      `select "networkUsername" from "network_interactions_trackerDev" job where
         not exists (select from "job_timelineDev" call where call.job_id = job.job_id
           and (details->>'operation' = 'start' and details->>'outcome' = 'started'
             or details->>'operation' = 'list' and details->>'outcome' = 'found' or kind = 'webhook')
           and entry_id < (select min(entry_id) from "job_timelineDev" change where change.job_id = job.job_id
             and kind = 'transition' and details ? 'run_id'))
         or not exists (select from "job_timelineDev" call where call.job_id = job.job_id
           and details->>'operation' = 'items' and details->>'outcome' = 'found')`,
    );
    return rows;
  }

  /** Does as a client would: sends unanswered requests again, unless the tracker has their jobs. */
  async function triggerAll(handles: readonly string[], random: () => number): Promise<void> {
    for (let start = 0; start < handles.length; start += jobsPerRequest) {
      let left = handles.slice(start, start + jobsPerRequest);
      while (left.length > 0) {
        const base = replicas[Math.floor(random() * replicas.length)]!.url;
        const body = { user_company_id: 'acme', targets: left.map(person) };
        // A killed replica breaks the connection. Only the tracker shows whether the jobs were recorded.
        await world.post('/scraper/network/interactions', body, {}, base).catch(() => undefined);
        const known = new Set((await world.tracker()).map((row) => row.networkUsername));
        left = left.filter((handle) => !known.has(handle));
      }
    }
  }
});
