// One built service as a process of its own, as it runs in production; it can be killed and started again.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compileCacheSetting } from '@tradewind/testkit';

export type ServiceName = 'coordinator' | 'priority-api' | 'priority-webhook';

/** Loaded before the service, so that the service ends with its test, however the test ends. */
const dieWithParent = `data:text/javascript,${encodeURIComponent(
  `process.once('disconnect', () => process.kill(process.pid, 'SIGKILL')); process.channel?.unref();`,
)}`;

/** Lines kept for the message of a failure. */
const linesMax = 60;
const startTimeoutMs = 90_000;

export class ServiceProcess {
  private child: ChildProcess | undefined;
  private readonly lines: string[] = [];
  private readiness = 'nothing';

  constructor(
    readonly service: ServiceName,
    readonly port: number,
    private readonly env: Record<string, string>,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async start(): Promise<void> {
    this.child = this.spawn([]);
    const deadline = Date.now() + startTimeoutMs;
    for (;;) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`${this.service} ended at its start:\n${this.log()}`);
      if (await this.isReady()) return;
      if (Date.now() > deadline)
        throw new Error(`${this.service} is not ready in time, it says ${this.readiness}:\n${this.log()}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** kill -9: the process cannot clean up. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Resolves with the exit code. */
  async stop(): Promise<number | null> {
    return this.end('SIGTERM');
  }

  /** Runs an operator command with this service's settings. */
  async command(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const child = this.spawn(args, true);
    let stdout = '';
    let stderr = '';
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  }

  /** The same program with other settings, for its commands. */
  with(env: Record<string, string>): ServiceProcess {
    return new ServiceProcess(this.service, this.port, { ...this.env, ...env });
  }

  log(): string {
    return this.lines.join('\n');
  }

  private spawn(args: readonly string[], isCommand = false): ChildProcess {
    const entry = fileURLToPath(new URL(`../../../${this.service}/dist/main.js`, import.meta.url));
    if (!existsSync(entry)) throw new Error(`${entry} is missing: build ${this.service} first`);
    const child = spawn(process.execPath, ['--import', dieWithParent, entry, ...args], {
      // Nothing of the environment of Jest reaches the service.
      env: { PATH: process.env['PATH'] ?? '', ...compileCacheSetting(), ...this.env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    if (!isCommand) {
      for (const stream of [child.stdout!, child.stderr!]) {
        stream.on('data', (chunk: Buffer) => {
          this.lines.push(...chunk.toString().trimEnd().split('\n'));
          this.lines.splice(0, Math.max(0, this.lines.length - linesMax));
        });
      }
    }
    return child;
  }

  private async end(signal: NodeJS.Signals): Promise<number | null> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const closed = once(child, 'exit');
    child.kill(signal);
    await closed;
    return child.exitCode;
  }

  private async isReady(): Promise<boolean> {
    try {
      const answer = await fetch(`${this.url}/ready`, { signal: AbortSignal.timeout(5_000) });
      this.readiness = await answer.text();
      return answer.ok;
    } catch {
      return false;
    }
  }
}
