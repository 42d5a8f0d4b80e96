// Starts the whole platform in order, watches it, and stops it in the opposite order.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@tradewind/testkit';
import pg from 'pg';
import { writeCommandSettings } from './command-settings.js';
import { CompileCache } from './compile-cache.js';
import { prepareDataFolder, restoreAdvice } from './data-folder.js';
import { keepRunning, type RunningPart } from './keep-running.js';
import { localSecrets } from './local-secrets.js';
import { assertPortsFree, debuggerOffset, portOf, type ServiceName, serviceNames } from './ports.js';
import { reloadReport } from './reload.js';
import { RunLock } from './run-lock.js';
import { prepareSampleData } from './sample-data.js';
import { type EnvironmentContext, serviceEnvironment } from './services.js';
import { LocalMail } from './mail-page.js';
import type { LocalSettings } from './settings.js';
import { SourceWatcher } from './source-watcher.js';
import { SupervisedProcess } from './supervised-process.js';

/** Takes a line about each step, for a person to read. */
export type Report = (line: string) => void;

const databaseName = 'tradewind';
const processNames = ['provider-simulator', ...serviceNames, 'console'] as const;
type ProcessName = (typeof processNames)[number];
type ProcessContext = Omit<EnvironmentContext, 'settings'>;

export class Platform {
  /** Resolves with a sentence when a part of the platform ends at the start, or again and again later. */
  readonly failed: Promise<string>;
  private fail!: (sentence: string) => void;
  private readonly processes = new Map<string, SupervisedProcess>();
  private readonly kept: Promise<void>[] = [];
  private readonly compileCache: CompileCache;
  private postgres: EmbeddedPostgres | undefined;
  private mail: LocalMail | undefined;
  private sources: SourceWatcher | undefined;
  private readonly stopping = new AbortController();
  private starting: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;

  private constructor(
    private readonly settings: LocalSettings,
    private readonly lock: RunLock,
    private readonly report: Report,
    private readonly reloading: readonly ServiceName[],
  ) {
    this.compileCache = new CompileCache(settings.compileCacheDir ?? join(settings.dataDir, 'compile-cache'));
    this.failed = new Promise((resolve) => {
      this.fail = resolve;
    });
  }

  /**
   * Takes the data folder for this process; throws when another platform has it. Call `start` next.
   * @param reloading services that run from source and reload at a change
   */
  static async open(
    settings: LocalSettings,
    report: Report,
    reloading: readonly ServiceName[] = [],
  ): Promise<Platform> {
    prepareDataFolder(settings.dataDir, { isDatabaseEmbedded: !settings.databaseUrl });
    return new Platform(settings, await RunLock.take(settings.dataDir, report), report, reloading);
  }

  /**
   * Resolves once everything is ready. Rejects on a failure, after which the caller stops the platform, and on a stop.
   */
  async start(): Promise<void> {
    this.starting ??= this.startInOrder();
    return this.starting;
  }

  private async startInOrder(): Promise<void> {
    const { signal } = this.stopping;
    const { portBase, databaseUrl: givenDatabase } = this.settings;
    await assertPortsFree(portBase, { isDatabaseEmbedded: givenDatabase === undefined, debugged: this.reloading });
    signal.throwIfAborted();
    const secrets = localSecrets(this.settings.dataDir);
    const databaseUrl = await this.startDatabase();
    signal.throwIfAborted();
    writeCommandSettings({ settings: this.settings, databaseUrl, secrets });
    this.mail = await LocalMail.start({
      page: portOf(portBase, 'mail catcher'),
      smtp: portOf(portBase, 'mail server'),
    });
    if (this.reloading.length > 0) {
      this.sources = await SourceWatcher.start({
        rootDir: this.settings.rootDir,
        names: this.reloading,
        changed: (name) => this.processes.get(name)?.send('reload'),
        report: this.report,
      });
      signal.throwIfAborted();
    }
    for (const name of processNames) this.startProcess(name, { databaseUrl, secrets });
    await this.timed('simulator, six services and console', () =>
      Promise.all([...this.processes.values()].map((process) => process.untilReady())),
    );
    signal.throwIfAborted();
    const { settings, report, compileCache } = this;
    await prepareSampleData({
      ...{ settings, databaseUrl, secrets, report, signal },
      compileCache: compileCache.environment,
    });
    signal.throwIfAborted();
    this.keepAllRunning({ databaseUrl, secrets });
    void compileCache.fill(serviceNames.map((name) => this.entry(name)));
  }

  /** Services first, each finishing its work; the database last. Safe to call again. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('The platform is being stopped.'));
    this.stopped ??= this.stopInOrder();
    return this.stopped;
  }

  /** For a second Ctrl-C. */
  kill(): void {
    for (const process of this.processes.values()) process.kill();
  }

  private async stopInOrder(): Promise<void> {
    this.compileCache.stop();
    const results = await Promise.all(
      [...this.processes.values()].map(async (process) => ({ name: process.name, graceful: await process.stop() })),
    );
    for (const { name, graceful } of results) {
      if (!graceful) this.report(`${name} did not end in time and was killed`);
    }
    // In the middle of a start: what it is starting can be stopped only once it runs.
    await this.starting?.catch(() => undefined);
    await Promise.all(this.kept);
    await this.sources?.stop();
    await this.mail?.stop();
    await this.postgres?.stop();
    this.lock.release();
  }

  private async startDatabase(): Promise<string> {
    if (this.settings.databaseUrl !== undefined) return this.settings.databaseUrl;
    return this.timed('PostgreSQL', async () => {
      const postgres = await this.startPostgres();
      this.failAtEnd('PostgreSQL', postgres);
      return createDatabase(postgres.url);
    });
  }

  private async startPostgres(): Promise<EmbeddedPostgres> {
    const dataDir = join(this.settings.dataDir, 'postgres');
    try {
      this.postgres = await startEmbeddedPostgres({ dataDir, port: portOf(this.settings.portBase, 'postgresql') });
    } catch (error) {
      const { message } = error as Error;
      const advice = restoreAdvice(this.settings.dataDir);
      throw new Error(`${message}\nIs ${dataDir} damaged? ${advice}`, { cause: error });
    }
    this.lock.add('PostgreSQL', this.postgres.pid, 'postgres');
    return this.postgres;
  }

  private startProcess(name: ProcessName, context: ProcessContext): SupervisedProcess {
    const reloading = this.reloading.find((each) => each === name);
    const entry = reloading ? join(this.settings.rootDir, 'apps', name, 'src', 'main.ts') : this.entry(name);
    if (!existsSync(entry)) throw new Error(`${entry} is missing: run npm run build`);
    const port = portOf(this.settings.portBase, name);
    const sourceHooks = pathToFileURL(join(this.settings.rootDir, 'tools/workspace/source-hooks.mjs')).href;
    const nodeOptions = [...nodeOptionsOf(entry), '--import', new URL('./collect-garbage.js', import.meta.url).href];
    const process = new SupervisedProcess(
      {
        name,
        ...(reloading
          ? {
              entry: fileURLToPath(new URL('./reload-runner.js', import.meta.url)),
              nodeOptions: [],
              words: [sourceHooks, String(port + debuggerOffset), entry, ...nodeOptions],
            }
          : { entry, nodeOptions }),
        env: {
          ...serviceEnvironment(name, { settings: this.settings, ...context }),
          ...this.compileCache.environment,
        },
        readyUrl: `http://127.0.0.1:${port}/${name === 'provider-simulator' ? 'health' : 'ready'}`,
        logFile: join(this.settings.dataDir, 'logs', `${name}.log`),
      },
      new URL('./end-with-parent.js', import.meta.url).href,
    );
    if (reloading) {
      const reportOf = reloadReport(name);
      process.onLine((line) => {
        const text = reportOf(line);
        if (text !== undefined) this.report(text);
      });
    }
    this.processes.set(name, process);
    this.lock.add(name, process.pid, entry);
    this.failAtEnd(name, process);
    return process;
  }

  private entry(name: ProcessName): string {
    return join(this.settings.rootDir, name === 'provider-simulator' ? 'tools' : 'apps', name, 'dist', 'main.js');
  }

  /** Until everything is ready: a part that dies then would die again. */
  private failAtEnd(name: string, part: RunningPart): void {
    void part.ended.then((sentence) => {
      if (this.stopping.signal.aborted || this.kept.length > 0) return;
      const lines = this.lastLines(name);
      this.fail([sentence, ...(lines.length > 0 ? ['Its last lines:', ...lines] : [])].join('\n'));
    });
  }

  private lastLines(name: string): readonly string[] {
    return this.processes.get(name)?.lastLines ?? [];
  }

  private keepAllRunning(context: ProcessContext): void {
    for (const [name, process] of [...this.processes] as [ProcessName, SupervisedProcess][]) {
      this.keep(name, process, async () => {
        // Closes the log of the dead one, or ends one that did not become ready.
        await this.processes.get(name)?.stop();
        this.stopping.signal.throwIfAborted();
        const next = this.startProcess(name, context);
        await next.untilReady();
        return next;
      });
    }
    if (this.postgres) this.keep('PostgreSQL', this.postgres, () => this.startPostgres());
  }

  private keep(name: string, part: RunningPart, start: () => Promise<RunningPart>): void {
    const { report } = this;
    const lastLines = () => this.lastLines(name);
    this.kept.push(
      keepRunning(part, { name, start, lastLines, report, signal: this.stopping.signal }).then((sentence) => {
        if (sentence !== undefined) this.fail(sentence);
      }),
    );
  }

  private async timed<T>(what: string, work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    const result = await work();
    this.report(`${what} ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    return result;
  }
}

/** Makes the platform's database on the embedded server when it is missing; resolves with its connection string. */
async function createDatabase(serverUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [databaseName]);
    if (found.rowCount === 0) await client.query(`create database ${databaseName}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${databaseName}`;
  return url.toString();
}

/** Those of the program's package.json, as in the images. Source maps would cost each start 0.2 s of a core. */
function nodeOptionsOf(entry: string): string[] {
  const manifest = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8')) as {
    nodeOptions?: string[];
  };
  return manifest.nodeOptions ?? [];
}
