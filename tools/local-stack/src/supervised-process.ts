import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessDefinition {
  name: string;
  /** File that Node runs. */
  entry: string;
  nodeOptions: string[];
  /** Arguments of the program. */
  words?: readonly string[];
  env: Record<string, string>;
  /** Address that answers 200 once the process can work. */
  readyUrl: string;
  logFile: string;
}

/** How much of a log is shown when its process dies. */
const tailLines = 15;
const readyTimeoutMs = 60_000;
const readyPollMs = 50;
/** Services promise to end within 10 s of SIGTERM. */
const stopTimeoutMs = 12_000;

/** A Node process of the platform: its output goes to a log file, its end is noticed. */
export class SupervisedProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves with a sentence when the process ends, stopped or not. */
  readonly ended: Promise<string>;
  private readonly child: ChildProcess;
  private readonly log: WriteStream;
  private readonly tail: string[] = [];

  constructor(
    private readonly definition: ProcessDefinition,
    preload: string,
  ) {
    this.name = definition.name;
    this.log = createWriteStream(definition.logFile, { flags: 'a' });
    // A full disk must not end the platform; the last lines are in memory.
    this.log.on('error', () => undefined);
    const { nodeOptions, entry, words = [] } = definition;
    this.child = spawn(process.execPath, [...nodeOptions, '--import', preload, entry, ...words], {
      env: definition.env,
      // Its own process group: Ctrl-C reaches the platform alone, which stops its processes in order.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.pid = this.child.pid ?? -1;
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => this.keep(chunk));
    }
    this.ended = new Promise((resolve) => {
      this.child.once('error', (error) => resolve(`${this.name} could not be started: ${error.message}`));
      // Not at 'exit': its last lines may still be on their way then, and the log must be open for them.
      this.child.once('close', (code, signal) => resolve(`${this.name} ended (${signal ?? `exit code ${code}`})`));
    });
  }

  /** Calls back with every whole line that it writes. */
  onLine(callback: (line: string) => void): void {
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', callback);
    }
  }

  /** Sends the program a message. Does nothing once the program has ended. */
  send(message: string): void {
    // Its end is noticed elsewhere.
    this.child.send(message, () => undefined);
  }

  /** The last lines it wrote. */
  get lastLines(): string[] {
    return this.tail;
  }

  /** Resolves when the ready address answers 200; throws when the process ends before that, or takes too long. */
  async untilReady(): Promise<void> {
    const stopped = new AbortController();
    const failure = this.ended.then((sentence) => {
      stopped.abort();
      throw new Error(sentence);
    });
    await Promise.race([this.poll(stopped.signal), failure]);
  }

  private async poll(signal: AbortSignal): Promise<void> {
    const deadline = Date.now() + readyTimeoutMs;
    while (!signal.aborted) {
      try {
        const answer = await fetch(this.definition.readyUrl, { signal: AbortSignal.timeout(2_000) });
        await answer.body?.cancel();
        if (answer.status === 200) return;
      } catch {
        // Nobody listens yet.
      }
      if (Date.now() > deadline) throw new Error(`${this.name} was not ready within ${readyTimeoutMs / 1000} s`);
      await sleep(readyPollMs);
    }
  }

  /**
   * SIGTERM, then SIGKILL when that was not enough. Resolves, once the log is written, with whether SIGTERM was enough.
   */
  async stop(): Promise<boolean> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGTERM');
    const timeout = new AbortController();
    const graceful = await Promise.race([
      this.ended.then(() => true),
      sleep(stopTimeoutMs, false, { signal: timeout.signal }).catch(() => false),
    ]);
    timeout.abort();
    if (!graceful) this.kill();
    await this.ended;
    await new Promise<void>((resolve) => this.log.end(resolve));
    return graceful;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private keep(chunk: Buffer): void {
    this.log.write(chunk);
    const lines = chunk
      .toString()
      .split('\n')
      .filter((line) => line.trim() !== '');
    this.tail.push(...lines);
    this.tail.splice(0, this.tail.length - tailLines);
  }
}
