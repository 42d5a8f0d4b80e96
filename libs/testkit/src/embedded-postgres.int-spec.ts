import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { untilReady } from './embedded-postgres.js';

const source = fileURLToPath(new URL('embedded-postgres.ts', import.meta.url));

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('the embedded PostgreSQL', () => {
  it('is ready when it says so, however much its log holds before', async () => {
    const stderr = new PassThrough();
    const ready = untilReady({ stderr, kill: () => true }, new Promise(() => undefined));
    for (let refusals = 0; refusals < 1_000; refusals += 1)
      stderr.write('FATAL:  the database system is starting up\n');
    stderr.write('LOG:  database system is ready to ac');
    stderr.write('cept connections\n');
    await ready;
  });

  it('ends when the process that started it is killed', async () => {
    const script = `import { startEmbeddedPostgres } from ${JSON.stringify(source)};
      const { pid } = await startEmbeddedPostgres({ ephemeral: true });
      console.log(pid);
      setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(owner.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(isRunning(pid)).toBe(true);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    for (let polls = 0; isRunning(pid) && polls < 600; polls++) await delay(100);
    expect(isRunning(pid)).toBe(false);
  }, 120_000);
});
