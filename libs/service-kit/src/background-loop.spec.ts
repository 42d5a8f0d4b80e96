import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { BackgroundLoop } from './background-loop.js';
import { createLogger } from './logger.js';

const hourMs = 3_600_000;

describe('BackgroundLoop', () => {
  const errors: string[] = [];
  const logger = createLogger({ service: 'example', level: 'error' }, { write: (line) => void errors.push(line) });
  let loop: BackgroundLoop | undefined;
  afterEach(() => loop?.stop());

  it('runs again at once while there is more, then waits until it is woken', async () => {
    let passes = 0;
    let reached = deferred();
    loop = new BackgroundLoop({
      name: 'example',
      intervalMs: hourMs,
      logger,
      run: async () => {
        passes += 1;
        if (passes === 3 || passes === 4) reached.resolve();
        return passes < 3;
      },
    });
    loop.start();
    loop.start();
    await reached.promise;
    reached = deferred();
    await nextTurn();
    expect(passes).toBe(3);
    loop.wake();
    await reached.promise;
    expect(passes).toBe(4);
  });

  it('does not lose a wake that comes during a pass', async () => {
    let passes = 0;
    const second = deferred();
    loop = new BackgroundLoop({
      name: 'example',
      intervalMs: hourMs,
      logger,
      run: async () => {
        passes += 1;
        if (passes === 1) loop?.wake();
        else second.resolve();
      },
    });
    loop.start();
    await second.promise;
  });

  it('rests between passes that are woken, and takes what came meanwhile together', async () => {
    jest.useFakeTimers();
    try {
      let passes = 0;
      loop = new BackgroundLoop({
        name: 'example',
        intervalMs: hourMs,
        restMs: 100,
        logger,
        run: async () => void (passes += 1),
      });
      loop.start();
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

  it('logs a pass that throws and goes on', async () => {
    let passes = 0;
    const second = deferred();
    loop = new BackgroundLoop({
      name: 'fragile',
      intervalMs: 1,
      logger,
      run: async () => {
        passes += 1;
        if (passes === 1) throw new Error('first pass broke');
        second.resolve();
      },
    });
    loop.start();
    await second.promise;
    expect(errors.join('')).toContain('first pass broke');
  });

  it('stops by aborting the signal and waiting for the pass at hand', async () => {
    const started = deferred();
    let isFinished = false;
    loop = new BackgroundLoop({
      name: 'example',
      intervalMs: 1,
      logger,
      run: async (signal) => {
        started.resolve();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        isFinished = true;
      },
    });
    loop.start();
    await started.promise;
    await loop.stop();
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
