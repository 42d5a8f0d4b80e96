import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BackgroundWork, type RepeatedWork, type Work } from './background-work.js';
import { createLogger } from './logger.js';
import { Metrics } from './metrics.js';

const hourMs = 3_600_000;
const stopMsMax = 300;

describe('BackgroundWork', () => {
  const lines: string[] = [];
  const logger = createLogger({ service: 'example', level: 'info' }, { write: (line) => void lines.push(line) });
  let background: BackgroundWork;
  let metrics: Metrics;
  let loop: Work;
  beforeEach(() => {
    metrics = new Metrics();
    background = new BackgroundWork(logger, metrics, stopMsMax);
    lines.length = 0;
  });
  afterEach(() => background.onModuleDestroy());

  const startLoop = (work: Omit<RepeatedWork, 'name'>) => {
    loop = background.every({ name: 'example', ...work });
    background.start();
  };

  it('runs again at once while there is more to do, then waits until it is woken', async () => {
    let passes = 0;
    let reached = deferred();
    startLoop({
      intervalMs: hourMs,
      run: async () => {
        passes += 1;
        if (passes === 3 || passes === 4) reached.resolve();
        return passes < 3;
      },
    });
    background.start();
    await reached.promise;
    reached = deferred();
    await nextTurn();
    expect(passes).toBe(3);
    loop.wake();
    await reached.promise;
    expect(passes).toBe(4);
  });

  it('runs again after a wake during a pass', async () => {
    let passes = 0;
    const second = deferred();
    startLoop({
      intervalMs: hourMs,
      run: async () => {
        passes += 1;
        if (passes === 1) loop.wake();
        else second.resolve();
      },
    });
    await second.promise;
  });

  it('pauses between woken passes, so that one pass serves several wakes', async () => {
    jest.useFakeTimers();
    try {
      let passes = 0;
      startLoop({
        intervalMs: hourMs,
        restMs: 100,
        run: async () => void (passes += 1),
      });
      await jest.advanceTimersByTimeAsync(0);
      expect(passes).toBe(1);
      for (let wake = 0; wake < 10; wake++) loop.wake();
      await jest.advanceTimersByTimeAsync(99);
      expect(passes).toBe(1);
      await jest.advanceTimersByTimeAsync(1);
      expect(passes).toBe(2);
      // After a silence a wake begins at once.
      await jest.advanceTimersByTimeAsync(1_000);
      loop.wake();
      await jest.advanceTimersByTimeAsync(0);
      expect(passes).toBe(3);
      await Promise.all([loop.stop(), jest.advanceTimersByTimeAsync(100)]);
      expect(passes).toBe(3);
    } finally {
      jest.useRealTimers();
    }
  });

  it('continues after a pass that throws, and logs the same failure once, and the recovery', async () => {
    let passes = 0;
    const recovered = deferred();
    startLoop({
      intervalMs: 1,
      run: async () => {
        passes += 1;
        if (passes <= 3) throw new Error('the store is away');
        if (passes === 5) recovered.resolve();
      },
    });
    await recovered.promise;
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('the store is away');
    expect(lines[1]).toContain('succeeds again');
    const figures = await metrics.text();
    expect(figures).toContain('background_work_duration_seconds_count{work="example",outcome="failed"} 3');
    expect(figures).toMatch(/background_work_last_success_timestamp_seconds{work="example"} \d/);
  });

  it('pauses for seconds after a pass that throws, however often it is woken', async () => {
    jest.useFakeTimers();
    try {
      const beganAt: number[] = [];
      const startedAt = Date.now();
      startLoop({
        intervalMs: hourMs,
        run: async () => {
          beganAt.push(Date.now() - startedAt);
          loop?.wake();
          throw new Error('the store is away');
        },
      });
      for (let second = 0; second < 60; second++) {
        await jest.advanceTimersByTimeAsync(1_000);
        loop.wake();
      }
      // 2.5 to 5 seconds after each pass, and no hour.
      expect(beganAt.length).toBeGreaterThanOrEqual(12);
      expect(beganAt.length).toBeLessThanOrEqual(24);
    } finally {
      jest.useRealTimers();
    }
  });

  it('starts nothing before the service listens', async () => {
    let passes = 0;
    background.every({ name: 'example', intervalMs: 1, run: async () => void (passes += 1) });
    await nextTurn();
    expect(passes).toBe(0);
  });

  it('claims as much as there is room for, and again when one piece of work ends', async () => {
    const rooms: number[] = [];
    const ends = [deferred(), deferred(), deferred()];
    const third = deferred();
    let claimed = 0;
    background.claims({
      name: 'example',
      intervalMs: hourMs,
      parallel: 2,
      claim: async (room) => {
        rooms.push(room);
        return ends.slice(claimed, (claimed += room));
      },
      work: async (piece) => {
        if (piece === ends[2]) third.resolve();
        await piece.promise;
        throw new Error('a piece broke');
      },
    });
    background.start();
    await nextTurn();
    ends[1]!.resolve();
    await third.promise;
    expect(rooms).toEqual([2, 1]);
    expect(lines.join('')).toContain('a piece broke');
    ends[0]!.resolve();
    ends[2]!.resolve();
  });

  it('has room again after a piece that throws before it returns a promise, and does the others', async () => {
    const done: number[] = [];
    const claims = [[1, 2, 3], [4]];
    const last = deferred();
    background.claims({
      name: 'example',
      intervalMs: hourMs,
      parallel: 3,
      claim: async (room) => (room === 3 ? (claims.shift() ?? []) : []),
      work: (piece) => {
        if (piece < 3) throw new Error(`piece ${piece} broke`);
        done.push(piece);
        if (piece === 4) last.resolve();
        return Promise.resolve();
      },
    });
    background.start();
    await last.promise;
    expect(done).toEqual([3, 4]);
    expect(lines.filter((line) => line.includes('a piece of background work failed'))).toHaveLength(2);
  });

  it('stops by aborting the signal and waiting for the current pass', async () => {
    const started = deferred();
    let isFinished = false;
    startLoop({
      intervalMs: 1,
      run: async (signal) => {
        started.resolve();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        isFinished = true;
      },
    });
    await started.promise;
    await background.onModuleDestroy();
    expect(isFinished).toBe(true);
  });

  it('stops waiting for work that never ends, and names it', async () => {
    const never = new Promise<void>(() => undefined);
    background.every({ name: 'idle', intervalMs: 1, run: async () => undefined });
    startLoop({ intervalMs: 1, run: () => never });
    await nextTurn();
    await background.onModuleDestroy();
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ work: ['example'], tracked: 0 }]);
    void background.track(never);
    await background.onModuleDestroy();
    expect(JSON.parse(lines[1]!)).toMatchObject({ work: ['example'], tracked: 1 });
  });

  it('forgets the figures of work that is stopped alone', async () => {
    const passed = deferred();
    startLoop({ intervalMs: hourMs, run: async () => passed.resolve() });
    expect(await metrics.text()).toContain('background_work_interval_seconds{work="example"} 3600');
    await passed.promise;
    await loop.stop();
    expect(await metrics.text()).not.toMatch(/background_work_(interval|last_success_timestamp)_seconds{/);
  });

  it('counts the time without success from its start', async () => {
    const failed = deferred();
    startLoop({
      intervalMs: hourMs,
      run: async () => {
        failed.resolve();
        throw new Error('the store is away');
      },
    });
    await failed.promise;
    const [, since] = /background_work_last_success_timestamp_seconds{work="example"} (\S+)/.exec(
      await metrics.text(),
    )!;
    expect(Date.now() / 1000 - Number(since)).toBeLessThan(60);
  });

  it('waits at its stop for work that outlasts its pass', async () => {
    let isFinished = false;
    const work = new Promise<void>((resolve) => background.stopping.addEventListener('abort', () => resolve()));
    const finished = background.track(work.then(nextTurn)).then(() => (isFinished = true));
    await background.onModuleDestroy();
    await finished;
    expect(isFinished).toBe(true);
  });
});

function deferred() {
  let resolve!: () => void;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
