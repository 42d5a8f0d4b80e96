// One process of a service: started, killed, frozen and started again. Its output goes to one file, through this
// process: a limit on the files of the service does not reach its log.
import { type ChildProcess, spawn } from 'node:child_process';
import type { ServiceName } from '../../src/service-names.js';
import { BoundedLog } from './bounded-log.js';

export interface ReplicaDefinition {
  service: ServiceName;
  /** Such as `identity-2`. */
  name: string;
  port: number;
  words: readonly string[];
  env: Record<string, string>;
  logFile: string;
}

/** Services promise to end within 10 s of SIGTERM. */
const stopTimeoutMs = 12_000;

export class Replica {
  readonly service: ServiceName;
  readonly name: string;
  readonly port: number;
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private isEndWanted = false;
  private readonly log: BoundedLog;

  /** @param died called when the process ends and nobody here ended it */
  constructor(
    private readonly definition: ReplicaDefinition,
    private readonly died: (how: string) => void,
  ) {
    this.service = definition.service;
    this.name = definition.name;
    this.port = definition.port;
    this.log = new BoundedLog(definition.logFile);
  }

  get pid(): number | undefined {
    return this.isRunning ? this.child?.pid : undefined;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  start(): void {
    if (this.isRunning) return;
    this.isEndWanted = false;
    const child = spawn(process.execPath, [...this.definition.words], {
      env: this.definition.env,
      // Its own process group: Ctrl-C reaches the harness alone, which stops everything. Its services end with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => this.log.write(chunk));
    this.ended = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('close', (code, signal) => {
        if (!this.isEndWanted) this.died(`${this.name} ended (${signal ?? `exit code ${code}`})`);
        resolve();
      });
    });
    this.child = child;
  }

  async kill(): Promise<void> {
    this.isEndWanted = true;
    if (this.isRunning) this.child?.kill('SIGKILL');
    await this.ended;
  }

  freeze(): void {
    if (this.isRunning) this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    if (this.isRunning) this.child?.kill('SIGCONT');
  }

  /** Sets by how much its wall clock is off (stepped-clock.ts). A new process has the right time. */
  setClock(offsetMs: number): void {
    if (this.child?.connected) this.child.send({ clockOffsetMs: offsetMs });
  }

  /** SIGTERM, and SIGKILL when that was not enough. Resolves with whether it was enough. */
  async stop(): Promise<boolean> {
    this.isEndWanted = true;
    if (!this.isRunning) return true;
    this.thaw();
    this.child?.kill('SIGTERM');
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(true), stopTimeoutMs);
    });
    const late = await Promise.race([this.ended.then(() => false), isLate]);
    clearTimeout(timer);
    if (late) await this.kill();
    return !late;
  }
}
