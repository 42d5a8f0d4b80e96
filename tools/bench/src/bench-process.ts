// Programs under test as processes of their own: started with settings, measured, ended.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
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
