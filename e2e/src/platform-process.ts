// The platform as a person runs it: `npm start` in a process of its own, with its own ports and its own data folder.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serviceNames, type ServiceName } from './service-names.js';

export const rootDir = fileURLToPath(new URL('../../', import.meta.url));

/** The table of ports in the outside contract. */
const offsets = {
  identity: 0,
  'graphql-gateway': 1,
  interactions: 2,
  'priority-api': 3,
  'priority-webhook': 4,
  coordinator: 5,
  console: 6,
  simulator: 10,
  'mail catcher': 11,
  'mail server': 12,
  postgresql: 432,
} as const;
const metricsOffset = 1000;
/** No part of a platform has this port. */
const keptOffset = 19;

/** Two cores that also run other tests are slow; a platform of its own is ready within 30 s. */
export const startTimeoutMs = 180_000;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface PlatformOptions {
  portBase?: number;
  dataDir?: string;
  env?: Record<string, string>;
  byNpm?: boolean;
}

export class PlatformProcess {
  readonly ended: Promise<Ended>;
  private text = '';

  private constructor(
    readonly portBase: number,
    readonly dataDir: string,
    private readonly child: ChildProcess,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    }
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
  }

  /** Starts without waiting: the platform's own process, or `npm start` with npm as the one that gets the signals. */
  static spawn(options: PlatformOptions & { portBase: number; dataDir: string }): PlatformProcess {
    const [program, ...words] = options.byNpm
      ? ['npm', 'start']
      : [process.execPath, join(rootDir, 'tools/local-stack/dist/main.js')];
    const child = spawn(program, words, {
      cwd: rootDir,
      env: cleanEnvironment({
        ...options.env,
        PORT_BASE: String(options.portBase),
        DATA_DIR: options.dataDir,
        // As a person starts it, it keeps compiled code in its data folder. Otherwise the runs of `npm test` share it.
        ...(options.byNpm ? { NODE_COMPILE_CACHE: undefined } : {}),
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new PlatformProcess(options.portBase, options.dataDir, child);
  }

  /** Starts and resolves once it says `Platform ready`; rejects with its output when it does not come to that. */
  static async start(options: PlatformOptions = {}): Promise<PlatformProcess> {
    const platform = PlatformProcess.spawn({
      ...options,
      portBase: options.portBase ?? (await freePortBase()),
      dataDir: options.dataDir ?? newDataDir(),
    });
    await platform.untilReady();
    return platform;
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  /** All it has printed. */
  get output(): string {
    return this.text;
  }

  url(name: keyof typeof offsets): string {
    return `http://127.0.0.1:${this.portBase + offsets[name]}`;
  }

  metricsUrl(name: ServiceName): string {
    return `http://127.0.0.1:${this.portBase + offsets[name] + metricsOffset}`;
  }

  /** As the issuer names itself; browsers and OAuth clients use this one. */
  get issuer(): string {
    return `http://localhost:${this.portBase}`;
  }

  get databaseUrl(): string {
    return `postgres://postgres:postgres@127.0.0.1:${this.portBase + offsets.postgresql}/tradewind`;
  }

  /** Every port that the platform listens on. */
  get ports(): number[] {
    const own = Object.values(offsets).map((offset) => this.portBase + offset);
    return [...own, ...serviceNames.map((name) => this.portBase + offsets[name] + metricsOffset)];
  }

  /** Name and process id of everything it has started, from its lock file. */
  processes(): { name: string; pid: number }[] {
    const lock = JSON.parse(readFileSync(this.lockFile, 'utf8')) as { children: { name: string; pid: number }[] };
    return lock.children.map(({ name, pid }) => ({ name, pid }));
  }

  get lockFile(): string {
    return join(this.dataDir, 'platform.lock');
  }

  async untilReady(): Promise<void> {
    return this.untilSaid('Platform ready');
  }

  /**
   * Resolves once it has printed these words; stops it and rejects with all it printed when it does not come to that.
   */
  async untilSaid(words: string): Promise<void> {
    const deadline = Date.now() + startTimeoutMs;
    let ended: Ended | undefined;
    void this.ended.then((end) => (ended = end));
    while (!this.text.includes(words)) {
      if (ended || Date.now() > deadline) {
        // It stops what it has started; only if it does not, its processes end with it.
        this.child.kill('SIGINT');
        setTimeout(() => this.child.kill('SIGKILL'), 30_000).unref();
        await this.ended;
        throw new Error(
          `the platform did not come to "${words}" (${JSON.stringify(ended ?? 'too slow')}):\n${this.text}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Ctrl-C, and the data folder removed. For the end of a test file. */
  async remove(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGINT');
    await this.ended;
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** Runs the demo against the ports of a platform; resolves with what it printed. */
export async function runDemo(platform: {
  portBase: number;
  dataDir: string;
}): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(rootDir, 'tools/local-stack/dist/demo.js')], {
    cwd: rootDir,
    env: cleanEnvironment({ PORT_BASE: String(platform.portBase), DATA_DIR: platform.dataDir, NO_COLOR: '1' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

/**
 * A folder that the user of the embedded PostgreSQL can enter, also when the tests run as root. Its name has no capital
 * letters: in a log it would look like a secret.
 */
export function newDataDir(): string {
  const folder = join(tmpdir(), `tradewind-e2e-${randomUUID()}`);
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * A base below the range of ephemeral ports whose ports are all free. This process keeps it to its end, so that no
 * other test chooses the same one before a platform listens there.
 */
export async function freePortBase(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const base = 12_000 + 1_500 * Math.floor(Math.random() * 12) + 20 * Math.floor(Math.random() * 20);
    const kept = await listenOn(base + keptOffset);
    if (!kept) continue;
    const wanted = Object.values(offsets).flatMap((offset) => [base + offset, base + offset + metricsOffset]);
    if ((await Promise.all(wanted.map(isFree))).every(Boolean)) {
      kept.unref();
      return base;
    }
    kept.close();
  }
  throw new Error('no free ports for a platform');
}

export async function isFree(port: number): Promise<boolean> {
  const probe = await listenOn(port);
  if (!probe) return false;
  probe.close();
  await once(probe, 'close');
  return true;
}

/** @returns undefined when somebody else listens there */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A process that has ended but not been waited for by its parent is gone for every purpose.
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/^\d+ \(.*\) Z/s.test(readFileSync(stat, 'utf8'));
}

/** Without what Jest and the person's shell say about databases and Node's options. */
function cleanEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, TEST_DATABASE_URL: _test, DATABASE_URL: _database, ...kept } = process.env;
  return { ...kept, ...own };
}
