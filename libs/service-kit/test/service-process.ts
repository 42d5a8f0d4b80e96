// The example service as processes of their own.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { compileCacheSetting } from '@tradewind/testkit';

const hooks = new URL('../../../tools/workspace/source-hooks.mjs', import.meta.url).pathname;
const main = new URL('./example-main.ts', import.meta.url).pathname;

export interface ServiceProcess {
  process: ChildProcess;
  url: string;
  /** Its log so far. */
  log: Record<string, unknown>[];
  ended: Promise<{ code: number | null; signal: string | null }>;
}

export function serviceProcesses() {
  const children: ChildProcess[] = [];

  /** @param input to its standard input */
  function run(args: string[], env: Record<string, string>, input?: string): ChildProcess {
    const child = spawn(process.execPath, ['--conditions=@tradewind/source', '--import', hooks, main, ...args], {
      env: { PATH: process.env['PATH'], ...compileCacheSetting(), ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    child.stdin?.end(input);
    children.push(child);
    return child;
  }

  async function start(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const child = run([], { ENVIRONMENT: 'dev', PORT: '0', ...env });
    const log: Record<string, unknown>[] = [];
    const ended = new Promise<Awaited<ServiceProcess['ended']>>((resolve) =>
      // Not at 'exit': its last lines may still be on their way then.
      child.once('close', (code, signal) => resolve({ code, signal })),
    );
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout! }).on('line', (line) => {
        const entry = JSON.parse(line) as Record<string, unknown>;
        log.push(entry);
        if (entry['message'] === 'service started') resolve(String(entry['url']));
      });
      void ended.then(({ code }) => reject(new Error(`the service ended with ${code}`)));
    });
    return { process: child, url, log, ended };
  }

  function killAll(): void {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  }

  return { run, start, killAll };
}
