import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RunLock } from './run-lock.js';

describe('the lock of a data folder', () => {
  let dataDir: string;
  const lockFile = () => join(dataDir, 'platform.lock');
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tradewind-lock-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('refuses a second platform on the same folder and says how to run one beside it', async () => {
    const lock = await RunLock.take(dataDir, () => undefined);
    await expect(RunLock.take(dataDir, () => undefined)).rejects.toThrow(/already runs.*PORT_BASE/);
    lock.release();
    expect(existsSync(lockFile())).toBe(false);
    (await RunLock.take(dataDir, () => undefined)).release();
  });

  it('takes over from a killed platform, and ends its remaining processes', async () => {
    const leftover = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)', 'leftover-of-a-test'], {
      stdio: 'ignore',
    });
    const ended = once(leftover, 'exit');
    writeFileSync(
      lockFile(),
      JSON.stringify({
        platform: { name: 'platform', pid: await pidOfNobody(), commandPart: 'anything' },
        children: [{ name: 'identity', pid: leftover.pid, commandPart: 'leftover-of-a-test' }],
      }),
    );
    const reports: string[] = [];
    const lock = await RunLock.take(dataDir, (line) => reports.push(line));
    await ended;
    expect(reports).toEqual([expect.stringContaining('identity')]);
    lock.release();
  });

  it('ends no process that has a recorded id but another command', async () => {
    const innocent = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
    writeFileSync(
      lockFile(),
      JSON.stringify({
        platform: { name: 'platform', pid: await pidOfNobody(), commandPart: 'anything' },
        children: [{ name: 'identity', pid: innocent.pid, commandPart: 'apps/identity/dist/main.js' }],
      }),
    );
    const lock = await RunLock.take(dataDir, () => undefined);
    expect(innocent.exitCode).toBeNull();
    lock.release();
    innocent.kill();
  });

  it.each(['', '{"platform":', '{}', '5', '{"platform":{"pid":0},"children":[]}'])(
    'copes with a lock file that is damaged: %j',
    async (content) => {
      writeFileSync(lockFile(), content);
      (await RunLock.take(dataDir, () => undefined)).release();
    },
  );
});

/** The id of a process that has just ended. */
async function pidOfNobody(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid!;
}
