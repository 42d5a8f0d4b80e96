// Quick statements share a few connections, here called lines: each is sent without waiting for the answers before it, and
// those of one turn of the event loop are sent with one write. Backends that go from statement to statement cost PostgreSQL
// and this process a quarter less than many that are woken up for one statement each. Nobody waits long for others:
// statements that turn out not to be quick keep away, and behind one that holds up its line all are asked again elsewhere.
import { WatchedClient, type Logger, type WatchedClientConfig } from '@tradewind/service-kit';
import type pg from 'pg';
import { queryCells, type Cell, type CellsStatement } from './cells-query.js';

/** Connections that are shared. */
export const lineCount = 2;
/** The longest average of a quick statement, from the answer before it to its own. */
const quickMs = 10;
const overtakeAfterMs = 50;
const awayForMs = 5000;
/** Weight of the last time in the average. */
const lastWeight = 0.05;
const timedMax = 1000;
/** As many answers are soon there. */
const comfortableLength = 6;
/** Far above what is under way on a line while answers come quickly. */
const lengthMax = 64;
const reconnectAfterMs = 1000;

export interface ReadLinesOptions {
  connection: WatchedClientConfig;
  /** Asks on a connection that is not shared. */
  elsewhere: (statement: CellsStatement) => Promise<Cell[][]>;
  /** Told how many statements were asked again elsewhere. */
  onOvertaken: (count: number) => void;
  logger: Logger;
}

export class ReadLines {
  private readonly times = new StatementTimes();
  private readonly lines: readonly Line[];

  constructor(private readonly options: ReadLinesOptions) {
    this.lines = Array.from({ length: lineCount }, () => new Line(options, this.times));
  }

  /** The rows of a statement that only reads. */
  async read(statement: CellsStatement): Promise<Cell[][]> {
    // One without a name is new: nobody knows how long it takes.
    const isQuick = statement.name !== undefined && this.times.isQuick(statement.name);
    return (isQuick && this.openLine()?.ask(statement)) || this.options.elsewhere(statement);
  }

  /** After the answers to what was asked. */
  async close(): Promise<void> {
    await Promise.all(this.lines.map((line) => line.close()));
  }

  /** The first with room, so that as few backends as possible are woken up; the shortest when all have much to do. */
  private openLine(): Line | undefined {
    let shortest: Line | undefined;
    for (const line of this.lines) {
      line.keepConnected();
      if (!line.isOpen) continue;
      if (line.length < comfortableLength) return line;
      if (line.length < (shortest?.length ?? lengthMax)) shortest = line;
    }
    return shortest;
  }
}

/** How long statements take, by name. */
class StatementTimes {
  private readonly byName = new Map<string, { averageMs: number; awayUntil: number }>();

  isQuick(name: string): boolean {
    return performance.now() >= (this.byName.get(name)?.awayUntil ?? 0);
  }

  took(name: string, ms: number): void {
    let times = this.byName.get(name);
    if (!times) {
      if (this.byName.size >= timedMax) this.byName.clear();
      this.byName.set(name, (times = { averageMs: 0, awayUntil: 0 }));
    }
    times.averageMs += (ms - times.averageMs) * lastWeight;
    if (times.averageMs <= quickMs) return;
    times.averageMs = 0;
    times.awayUntil = performance.now() + awayForMs;
  }
}

interface Asked {
  statement: CellsStatement;
  resolve: (rows: Cell[][]) => void;
  reject: (error: Error) => void;
  isAskedElsewhere: boolean;
}

/** One shared connection and what was sent on it, in the order of the answers. */
class Line {
  private client: pg.Client | undefined;
  private isConnecting = false;
  private isClosed = false;
  private connectAt = 0;
  private readonly asked: Asked[] = [];
  /** When PostgreSQL began with the first of them. */
  private begunAt = 0;
  private isHeldUp = false;
  private isGathering = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: ReadLinesOptions,
    private readonly times: StatementTimes,
  ) {}

  get length(): number {
    return this.asked.length;
  }

  get isOpen(): boolean {
    return this.client !== undefined && !this.isHeldUp;
  }

  /** Nobody waits for the connection: until it is there, everything is asked elsewhere. */
  keepConnected(): void {
    if (this.client || this.isConnecting || this.isClosed || performance.now() < this.connectAt) return;
    this.connect();
  }

  async ask(statement: CellsStatement): Promise<Cell[][]> {
    // The line is open.
    const client = this.client!;
    this.gatherWrites(client);
    return new Promise((resolve, reject) => {
      const asked: Asked = { statement, resolve, reject, isAskedElsewhere: false };
      if (this.asked.push(asked) === 1) this.begunAt = performance.now();
      queryCells(client, statement).then(
        (rows) => {
          this.leave(asked);
          resolve(rows);
        },
        (error: Error) => {
          this.leave(asked);
          if (!asked.isAskedElsewhere) reject(error);
        },
      );
      this.watch();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.client?.end();
  }

  private leave(asked: Asked): void {
    this.asked.splice(this.asked.indexOf(asked), 1);
    const now = performance.now();
    this.times.took(asked.statement.name!, now - this.begunAt);
    this.begunAt = now;
    this.isHeldUp = false;
  }

  private gatherWrites(client: pg.Client): void {
    if (this.isGathering) return;
    this.isGathering = true;
    const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } }).connection;
    stream.cork();
    setImmediate(() => {
      this.isGathering = false;
      stream.uncork();
    });
  }

  private watch(): void {
    // Answers that are there already count before anybody is overtaken: timers run first in a turn of the event loop.
    this.timer ??= setTimeout(() => setImmediate(() => this.overtake()), overtakeAfterMs).unref();
  }

  private overtake(): void {
    this.timer = undefined;
    const [first, ...others] = this.asked;
    if (!first) return;
    this.watch();
    if (performance.now() - this.begunAt < overtakeAfterMs) return;
    this.isHeldUp = true;
    const waiting = others.filter(({ isAskedElsewhere }) => !isAskedElsewhere);
    for (const asked of waiting) {
      asked.isAskedElsewhere = true;
      this.options.elsewhere(asked.statement).then(asked.resolve, asked.reject);
    }
    if (waiting.length > 0) this.options.onOvertaken(waiting.length);
  }

  private connect(): void {
    this.isConnecting = true;
    this.connectAt = performance.now() + reconnectAfterMs;
    const client = new WatchedClient({ ...this.options.connection, pipeline: true });
    client.on('error', (error) => {
      this.options.logger.warn({ err: error }, 'a connection that quick reads share was lost');
    });
    client.on('end', () => {
      if (this.client === client) this.client = undefined;
    });
    client.connect().then(
      () => {
        this.isConnecting = false;
        if (this.isClosed) void client.end();
        else this.client = client;
      },
      () => {
        // Whoever asks elsewhere hears of it.
        this.isConnecting = false;
      },
    );
  }
}
