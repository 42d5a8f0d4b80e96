// Programs under test as processes of their own: started with settings, measured, ended.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export class BenchProcess {
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-4_000)));
    }
  }

  /** Starts `main` with Node and waits until `GET /health` answers 200. The program listens on `env.PORT`. */
  static async start(main: URL, env: Record<string, string> & { PORT: string }): Promise<BenchProcess> {
    // As in the images: what the app's package.json asks for.
    const manifest = JSON.parse(readFileSync(new URL('../package.json', main), 'utf8')) as { nodeOptions?: string[] };
    const child = spawn(process.execPath, [...(manifest.nodeOptions ?? []), main.pathname], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = new BenchProcess(child, `http://127.0.0.1:${env.PORT}`);
    const deadlineMs = performance.now() + 60_000;
    for (;;) {
      const answer = await fetch(`${started.url}/health`).catch(() => undefined);
      if (answer?.ok) return started;
      if (child.exitCode !== null || performance.now() > deadlineMs) {
        await started.stop();
        throw new Error(`${main.pathname} did not start: ${started.output}`);
      }
      await delay(50);
    }
  }

  /** Processor time so far, ms. Linux only. */
  processorMs(): number {
    return processorMsOf(this.child.pid!);
  }

  /** Resident memory now, MiB. Linux only, as the targets are. */
  residentMiB(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
  }
}

/** The PostgreSQL server that runs on this data folder already; `stop` leaves it running. */
export function runningPostgres(dataDir: string): { url: string; pid: number; stop: () => Promise<void> } | undefined {
  const file = join(dataDir, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const [pid, , , port] = readFileSync(file, 'utf8').split('\n');
  // After a crash the file stays.
  if (!existsSync(`/proc/${pid}`)) return undefined;
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    pid: Number(pid),
    stop: async () => undefined,
  };
}

// USER_HZ is 100 on every Linux that Node runs on.
const msPerTick = 10;

/** Processor time of a process, user and system, ms; 0 when there is no such process any more. Linux only. */
export function processorMsOf(pid: number): number {
  const fields = statFields(pid);
  return fields ? (Number(fields[11]) + Number(fields[12])) * msPerTick : 0;
}

/** Processor time of a PostgreSQL server, ms: of the processes that it runs and of those that ended. */
export function postgresProcessorMs(postmaster: number): number {
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
  const ended = statFields(postmaster);
  const endedMs = ended ? (Number(ended[13]) + Number(ended[14])) * msPerTick : 0;
  return children.reduce((sum, pid) => sum + processorMsOf(Number(pid)), endedMs);
}

/** The fields of /proc/PID/stat behind the name, the state first. */
function statFields(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ');
  } catch {
    return undefined;
  }
}
