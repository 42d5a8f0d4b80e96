// Which dependencies take a service out of service, what the metric says of them, and a start without one.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import {
  configClass,
  createLogger,
  defineService,
  ReadinessRegistry,
  startService,
  type RunningService,
} from '../src/index.js';

const state = { database: true, store: true, probes: 0, canPrepare: false, prepared: 0 };

@Controller()
class PageController {
  @Get('page')
  page() {
    return { prepared: state.prepared };
  }
}

@Module({ controllers: [PageController] })
class PageModule {
  constructor(readiness: ReadinessRegistry) {
    readiness.add({
      name: 'database',
      probe: async () => {
        state.probes += 1;
        await new Promise((resolve) => setTimeout(resolve, 50));
        return state.database;
      },
      isEssential: true,
      why: 'everything is there',
    });
    readiness.add({
      name: 'store',
      probe: () => (state.store ? Promise.resolve() : Promise.reject(new Error('a private reason'))),
      isEssential: false,
      why: 'copies are made later',
    });
  }
}

const service = defineService({
  name: 'page',
  config: class extends configClass({}) {},
  module: PageModule,
  prepare: () => {
    if (!state.canPrepare) return Promise.reject(new Error('the store is away'));
    state.prepared += 1;
    return Promise.resolve();
  },
});

describe('readiness', () => {
  let running: RunningService;
  beforeAll(async () => {
    const env = { ENVIRONMENT: 'dev', HOST: '127.0.0.1', PORT: '0', METRICS_PORT: '0' };
    running = await startService(service, {
      env,
      logger: createLogger({ service: 'page', version: '', level: 'silent' }),
    });
  });
  afterAll(() => running.close());

  const ready = async () => {
    const answer = await fetch(`${running.url}/ready`);
    return [answer.status, await answer.json()];
  };
  const metric = async () =>
    (await (await fetch(running.metricsUrl)).text())
      .split('\n')
      .filter((line) => line.startsWith('dependency_up{'))
      .sort();

  it('is 200 without a dependency that is not essential, and says what waits', async () => {
    Object.assign(state, { database: true, store: false });
    expect(await ready()).toEqual([
      200,
      {
        status: 'ready',
        service: 'page',
        dependencies: { database: 'up', store: 'down' },
        degraded: { store: 'copies are made later' },
      },
    ]);
    expect(await metric()).toEqual([
      'dependency_up{name="database",essential="true"} 1',
      'dependency_up{name="store",essential="false"} 0',
    ]);
  });

  it('is 503 without an essential dependency', async () => {
    Object.assign(state, { database: false, store: true });
    expect(await ready()).toEqual([
      503,
      { status: 'not_ready', service: 'page', dependencies: { database: 'down', store: 'up' } },
    ]);
    expect(await metric()).toContain('dependency_up{name="database",essential="true"} 0');
  });

  it('probes each dependency once for many callers', async () => {
    Object.assign(state, { database: true, store: true });
    const before = state.probes;
    const answers = await Promise.all(Array.from({ length: 50 }, ready));
    expect(answers.map(([status]) => status)).toEqual(Array<number>(50).fill(200));
    expect(state.probes - before).toBeLessThan(10);
  });

  it('a start succeeds without a dependency to prepare, and prepares it later', async () => {
    const prepared = async () => ((await (await fetch(`${running.url}/page`)).json()) as { prepared: number }).prepared;
    expect(await prepared()).toBe(0);
    state.canPrepare = true;
    const deadline = Date.now() + 15_000;
    while ((await prepared()) === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await prepared()).toBe(1);
  }, 30_000);
});
