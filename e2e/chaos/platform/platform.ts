// The platform of a run. It has embedded parts, a proxy in front of PostgreSQL and of the provider, and two replicas of
// each service behind a balancer. `npm start` makes the data folder first, with database, secrets and settings.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compileCacheSetting, type EmbeddedPostgres, Relay, startEmbeddedPostgres } from '@tradewind/testkit';
import { call, until } from '../../src/http.js';
import { freePortBase, newDataDir, PlatformProcess, rootDir } from '../../src/platform-process.js';
import { type ServiceName, serviceNames } from '../../src/service-names.js';
import { Balancer } from './balancer.js';
import { ObjectStoreFolder } from './object-store-folder.js';
import { Replica } from './replica.js';
import { type Limits, serviceSettings } from './service-settings.js';

const replicasOfService = 2;
/** Ports of the replicas above those that `npm start` uses, in a gap between platforms (`freePortBase`). */
const replicaOffset = 440;
const startTimeoutMs = 120_000;
/** Before a service that died is started again, as a cluster waits. */
const restartPauseMs = 1_000;
/** PostgreSQL refuses to start while processes of a killed server still end. */
const postgresStartAttempts = 10;

export class ChaosPlatform {
  readonly replicas: readonly Replica[];
  /** Processes that ended although nobody here ended them. Each was started again, as a cluster does. */
  readonly deaths: string[] = [];
  private postgres: EmbeddedPostgres | undefined;
  private simulator: Replica | undefined;
  private isStopping = false;
  private readonly balancers = new Map<ServiceName, Balancer>();

  private constructor(
    readonly portBase: number,
    readonly dataDir: string,
    private readonly limits: Limits,
    readonly objectStore: ObjectStoreFolder,
    /** Between the services and PostgreSQL. */
    readonly postgresRelay: Relay,
    /** Between the services and the simulator. */
    readonly providerRelay: Relay,
  ) {
    this.replicas = serviceNames.flatMap((service, index) =>
      Array.from({ length: replicasOfService }, (_, copy) =>
        this.replica(service, copy + 1, portBase + replicaOffset + index * replicasOfService + copy),
      ),
    );
  }

  /** Resolves once every replica is ready; on failure everything is stopped and the logs stay. */
  static async start(limits: Limits, report: (line: string) => void): Promise<ChaosPlatform> {
    const portBase = await freePortBase();
    const dataDir = newDataDir();
    report(`preparing the data folder ${dataDir} with npm start`);
    const first = PlatformProcess.spawn({ portBase, dataDir });
    // The settings are there by then. The services would only be started to be stopped again.
    await first.untilSaid('PostgreSQL ready');
    first.signal('SIGINT');
    await first.ended;
    mkdirSync(join(dataDir, 'logs'), { recursive: true });
    const platform = new ChaosPlatform(
      portBase,
      dataDir,
      limits,
      await ObjectStoreFolder.make(objectsDirOf(dataDir)),
      await Relay.to(new URL(first.databaseUrl)),
      await Relay.to(new URL(first.url('simulator'))),
    );
    process.once('exit', platform.killNow);
    try {
      report(`starting ${platform.replicas.length} replicas on ${dataDir}`);
      await platform.startParts();
    } catch (error) {
      await platform.stop();
      throw error;
    }
    return platform;
  }

  private async startParts(): Promise<void> {
    await this.startPostgres();
    this.simulator = this.simulatorProcess();
    this.simulator.start();
    for (const [index, service] of serviceNames.entries()) {
      this.balancers.set(service, await Balancer.listen(this.portBase + index, this.replicasOf(service)));
    }
    for (const replica of this.replicas) replica.start();
    await until('every replica to be ready', startTimeoutMs, async () => this.areAllReady || undefined);
    await until('the simulator', startTimeoutMs, async () =>
      (await call('GET', `${this.simulatorUrl}/health`).catch(() => undefined)) ? true : undefined,
    );
  }

  url(service: ServiceName): string {
    return `http://127.0.0.1:${this.portBase + serviceNames.indexOf(service)}`;
  }

  /** As the issuer names itself. */
  get issuer(): string {
    return `http://localhost:${this.portBase}`;
  }

  /** Direct, without the proxy. */
  get simulatorUrl(): string {
    return `http://127.0.0.1:${this.portBase + 10}`;
  }

  /** Direct, without the proxy. */
  get databaseUrl(): string {
    return this.databaseAt(this.portBase + 432);
  }

  get objectsDir(): string {
    return objectsDirOf(this.dataDir);
  }

  get logsDir(): string {
    return join(this.dataDir, 'logs');
  }

  get areAllReady(): boolean {
    return serviceNames.every((service) => this.areReady(service));
  }

  areReady(service: ServiceName): boolean {
    return this.balancers.get(service)?.areAllReady ?? false;
  }

  replicasOf(service: ServiceName): Replica[] {
    return this.replicas.filter((replica) => replica.service === service);
  }

  async startPostgres(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.postgres = await startEmbeddedPostgres({
          dataDir: join(this.dataDir, 'postgres'),
          port: this.portBase + 432,
        });
        return;
      } catch (error) {
        if (attempt === postgresStartAttempts) throw error;
      }
    }
  }

  async killPostgres(): Promise<void> {
    if (!this.postgres) return;
    process.kill(this.postgres.pid, 'SIGKILL');
    await this.postgres.ended;
  }

  /** Runs an operator command of a service, with the settings of the data folder. */
  async command(service: ServiceName, words: readonly string[], input = ''): Promise<void> {
    const settings = join(this.dataDir, 'settings', `${service}.env`);
    const main = join(rootDir, 'apps', service, 'dist/main.js');
    await this.run([`--env-file=${settings}`, main, ...words], input);
  }

  /** Runs several operator commands of a service in one process. */
  async batch(service: ServiceName, commands: readonly string[][]): Promise<void> {
    await this.command(service, ['batch'], commands.map((words) => `${JSON.stringify(words)}\n`).join(''));
  }

  /** Fills the tables of the data API, and the warehouse with people. */
  async loadSampleData(): Promise<void> {
    await this.run([join(rootDir, 'tools/seed/dist/sample.js')]);
  }

  private async run(words: readonly string[], input = ''): Promise<void> {
    const child = spawn(process.execPath, [...words], {
      env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: this.databaseUrl, ...compileCacheSetting() },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.stdin.end(input);
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`${words.slice(0, 4).join(' ')} failed: ${errors.trim()}`);
  }

  /** Stops the services; databases, files and ledger can still be read. Resolves with those that had to be killed. */
  async stopServices(): Promise<string[]> {
    this.isStopping = true;
    const stops = await Promise.all(
      this.replicas.map(async (replica) => ({ name: replica.name, isClean: await replica.stop() })),
    );
    return stops.filter(({ isClean }) => !isClean).map(({ name }) => name);
  }

  /** Ends everything that was started; the data folder stays. */
  async stop(): Promise<void> {
    await this.stopServices();
    await Promise.all([...this.balancers.values()].map((balancer) => balancer.close()));
    await this.simulator?.stop();
    this.postgresRelay.close();
    this.providerRelay.close();
    await this.postgres?.stop();
    process.removeListener('exit', this.killNow);
  }

  remove(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** When the harness itself ends without stopping anything. A frozen process would not notice. */
  private readonly killNow = (): void => {
    for (const replica of [...this.replicas, this.simulator]) {
      if (replica?.pid !== undefined) process.kill(replica.pid, 'SIGKILL');
    }
  };

  private databaseAt(port: number): string {
    return `postgres://postgres:postgres@127.0.0.1:${port}/tradewind`;
  }

  private replica(service: ServiceName, number: number, port: number): Replica {
    const name = `${service}-${number}`;
    const folder = join(rootDir, 'apps', service);
    const replica = new Replica(
      {
        ...{ service, name, port },
        words: [
          ...nodeOptions(folder),
          ...['--import', endWithParent, '--import', steppedClock, join(folder, 'dist/main.js')],
        ],
        env: serviceSettings(service, this.dataDir, {
          databaseUrl: this.databaseAt(this.postgresRelay.port),
          providerUrl: `http://127.0.0.1:${this.providerRelay.port}`,
          port,
          limits: this.limits,
        }),
        logFile: join(this.logsDir, `${name}.log`),
      },
      (how) => {
        this.deaths.push(`${how} at ${new Date().toISOString()}`);
        setTimeout(() => {
          if (!this.isStopping) replica.start();
        }, restartPauseMs).unref();
      },
    );
    return replica;
  }

  private simulatorProcess(): Replica {
    return new Replica(
      {
        service: 'interactions',
        name: 'provider-simulator',
        port: this.portBase + 10,
        words: ['--import', endWithParent, join(rootDir, 'tools/provider-simulator/dist/main.js')],
        env: { PATH: process.env['PATH'] ?? '', PORT: String(this.portBase + 10), SEED: '1' },
        logFile: join(this.logsDir, 'provider-simulator.log'),
      },
      (how) => this.deaths.push(how),
    );
  }
}

const objectsDirOf = (dataDir: string): string => join(dataDir, 'objects');

const endWithParent = join(rootDir, 'tools/local-stack/dist/end-with-parent.js');
const steppedClock = join(rootDir, 'e2e/chaos/platform/stepped-clock.ts');

/** Those of the program's package.json, as in the images. */
function nodeOptions(folder: string): string[] {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as { nodeOptions?: string[] }).nodeOptions ?? [];
}
