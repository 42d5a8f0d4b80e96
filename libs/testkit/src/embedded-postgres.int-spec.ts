import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort, startEmbeddedPostgres, untilReady } from './embedded-postgres.js';

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

  describe('on a folder that is kept', () => {
    let parent: string;
    const folder = () => join(parent, 'postgres');
    const start = async () => startEmbeddedPostgres({ dataDir: folder(), port: await freePort() });
    beforeEach(() => {
      parent = mkdtempSync(join(tmpdir(), 'tradewind-kept-'));
      // The server's user must get in when the tests run as root.
      chmodSync(parent, 0o755);
    });
    afterEach(() => rmSync(parent, { recursive: true, force: true }));

    it('starts again where it ended, and after a start that was killed while it made the folder', async () => {
      mkdirSync(`${folder()}.new`);
      writeFileSync(`${folder()}.new/PG_VERSION`, '18');
      for (let starts = 0; starts < 2; starts += 1) await (await start()).stop();
      expect(readdirSync(parent)).toEqual(['postgres']);
    }, 120_000);

    it.each([
      ['a file of another program', { 'notes.txt': '' }, 'PG_VERSION is missing'],
      ['no control file', { PG_VERSION: '18\n' }, 'global/pg_control is missing'],
      ['another version', { PG_VERSION: '17\n', 'global/pg_control': '' }, 'was made by PostgreSQL "17"'],
      ['a version that cannot be read', { PG_VERSION: '', 'global/pg_control': '' }, 'was made by PostgreSQL ""'],
    ])('refuses one with %s, and leaves it as it is', async (_, files, reason) => {
      mkdirSync(join(folder(), 'global'), { recursive: true });
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder(), name), text);
      await expect(start()).rejects.toThrow(reason);
      for (const name of Object.keys(files)) expect(existsSync(join(folder(), name))).toBe(true);
    });
  });
});
