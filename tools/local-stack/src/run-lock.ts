// One platform per data folder. The lock file names the processes of the run, so that the next start can end what a
// `kill -9` of the platform left behind. The services end with it (end-with-parent.ts); PostgreSQL does not.
import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';

interface LockedProcess {
  name: string;
  pid: number;
  /** Part of its command line, which identifies it although process ids are reused. */
  commandPart: string;
}

interface LockContent {
  platform: LockedProcess;
  children: LockedProcess[];
}

export class RunLock {
  private constructor(
    private readonly file: string,
    private readonly content: LockContent,
  ) {}

  /** Throws when a platform already runs on this data folder; ends the leftovers of one that was killed. */
  static async take(dataDir: string, report: (line: string) => void): Promise<RunLock> {
    const file = join(dataDir, 'platform.lock');
    const content: LockContent = {
      platform: { name: 'platform', pid: process.pid, commandPart: commandPart(process.pid) },
      children: [],
    };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      try {
        createWhole(file, content);
        return new RunLock(file, content);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        await endLeftovers(file, dataDir, report);
      }
    }
    throw new Error(`Another start is taking ${file} at the same moment. Try again.`);
  }

  /** Names a process of the run; a restarted one replaces the one that died. */
  add(name: string, pid: number, commandPart: string): void {
    this.content.children = this.content.children.filter((child) => child.name !== name);
    this.content.children.push({ name, pid, commandPart });
    renameSync(writeAside(this.file, this.content), this.file);
  }

  release(): void {
    rmSync(this.file, { force: true });
  }
}

// The file is complete at any moment, for another start and for tests that read it.

/** Throws EEXIST when there is such a file. */
function createWhole(file: string, content: LockContent): void {
  const aside = writeAside(file, content);
  try {
    linkSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}

function writeAside(file: string, content: LockContent): string {
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, JSON.stringify(content), { mode: 0o600 });
  return aside;
}

async function endLeftovers(file: string, dataDir: string, report: (line: string) => void): Promise<void> {
  const content = lockContent(readFileSync(file, 'utf8'));
  if (!content) {
    // Not written by this program, or on a file system that lost it.
    rmSync(file, { force: true });
    return;
  }
  if (isRunning(content.platform)) {
    throw new Error(
      `A platform already runs on ${dataDir} (process ${content.platform.pid}). ` +
        'Stop it with Ctrl-C, or start this one with another DATA_DIR and PORT_BASE.',
    );
  }
  for (const leftover of content.children.filter(isRunning)) {
    report(`ending ${leftover.name} (process ${leftover.pid}), left behind by a platform that was killed`);
    // SIGINT is PostgreSQL's fast shutdown and a graceful stop of everything else here.
    process.kill(leftover.pid, 'SIGINT');
    for (let waitedMs = 0; isRunning(leftover); waitedMs += 100) {
      if (waitedMs === 10_000) process.kill(leftover.pid, 'SIGKILL');
      if (waitedMs > 15_000)
        throw new Error(`Process ${leftover.pid} (${leftover.name}) does not end. End it by hand.`);
      await sleep(100);
    }
  }
  rmSync(file, { force: true });
}

function lockContent(text: string): LockContent | undefined {
  try {
    const content = JSON.parse(text) as LockContent;
    return [content.platform, ...content.children].every(isLockedProcess) ? content : undefined;
  } catch {
    return undefined;
  }
}

const isLockedProcess = ({ name, pid, commandPart }: Partial<LockedProcess>): boolean =>
  typeof name === 'string' && Number.isSafeInteger(pid) && pid! > 0 && typeof commandPart === 'string';

function isRunning(candidate: LockedProcess): boolean {
  try {
    process.kill(candidate.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return commandLine(candidate.pid).includes(candidate.commandPart);
}

function commandPart(pid: number): string {
  return commandLine(pid).slice(0, 200);
}

/** The command line of a process, empty when it is gone (or a zombie). */
function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}
