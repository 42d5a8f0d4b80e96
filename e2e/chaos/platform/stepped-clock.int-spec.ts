import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { rootDir } from '../../src/platform-process.js';

/** Ends after one message; what it sends is how far its clocks moved. */
const program = `
  const before = { wall: Date.now(), monotonic: performance.now() };
  process.once('message', () => {
    const [called, made] = [Date.now(), new Date()];
    process.send({
      steppedMs: called - before.wall,
      madeMs: made.getTime() - before.wall,
      monotonicMs: performance.now() - before.monotonic,
      textMs: Date.parse(Date()) - before.wall,
      given: new Date(5).getTime(),
      isDate: made instanceof Date && made.constructor === Date,
    });
  });`;

it('steps the wall clock of a process and nothing else, and does not keep the process alive', async () => {
  const preload = join(rootDir, 'e2e/chaos/platform/stepped-clock.ts');
  const child = spawn(process.execPath, ['--import', preload, '-e', `${program} setTimeout(() => {}, 3000);`], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.send({ clockOffsetMs: -60_000 });
  const clocks = await new Promise<Record<string, number | boolean>>((resolve) => {
    child.once('message', (message) => resolve(message as Record<string, number>));
  });
  expect(clocks).toMatchObject({ given: 5, isDate: true });
  for (const name of ['steppedMs', 'madeMs', 'textMs']) {
    expect(clocks[name]).toBeGreaterThan(-62_000);
    expect(clocks[name]).toBeLessThan(-50_000);
  }
  expect(clocks['monotonicMs']).toBeGreaterThanOrEqual(0);
  expect(await ended).toBe(0);
});
