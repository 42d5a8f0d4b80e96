// What the provider keeps when the local platform is stopped or killed. It keeps accepted runs and scrapes, how they
// ended, and whether their webhook was delivered or given up. One JSON line each, written before the answer.
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Run, RunLimits } from './run.types.js';
import type { Scrape } from './scrape.types.js';

/** What a start decided, without the state that follows from it. */
export type RunRecord = Omit<
  Run,
  'status' | 'statusMessage' | 'startedAt' | 'finishedAt' | 'timer' | 'onEnd' | 'limits' | 'costUsd' | 'costDelayMs'
> & {
  startedAt: string;
  /** Absent in journals of simulators that knew none. */
  limits?: RunLimits;
};
export type ScrapeRecord = Omit<Scrape, 'status' | 'createdAt' | 'finishedAt' | 'timer'> & { createdAt: string };

type Line =
  | { run: RunRecord }
  | { scrape: ScrapeRecord }
  | { ended: string; status: string; at: string; costUsd?: number }
  /** Accepted by its receiver, withheld by a fault, or given up. */
  | { settled: string };

export interface Remembered<T> {
  record: T;
  end: { status: string; at: Date; costUsd?: number } | undefined;
  isSettled: boolean;
}

export class Journal {
  private handle: number | undefined;
  private remembered: { runs: Remembered<RunRecord>[]; scrapes: Remembered<ScrapeRecord>[] } = {
    runs: [],
    scrapes: [],
  };

  /** Without a file nothing is written and nothing remembered. */
  constructor(file: string | undefined, finishedMax: number) {
    if (file === undefined) return;
    mkdirSync(dirname(file), { recursive: true });
    if (existsSync(file)) this.remembered = read(file, finishedMax);
    this.handle = openSync(file, 'a');
    // Ends the last line of a process that was killed while it wrote.
    writeSync(this.handle, '\n');
  }

  /** What was known when the simulator last ended, in the order of the starts. */
  recall(): { runs: Remembered<RunRecord>[]; scrapes: Remembered<ScrapeRecord>[] } {
    const recalled = this.remembered;
    this.remembered = { runs: [], scrapes: [] };
    return recalled;
  }

  runStarted(run: Run): void {
    const { id, actorId, datasetId, inputStoreId, requestQueueId, buildId, input, target, correlationId } = run;
    const { webhooks, limits, dataset, startedAt } = run;
    const ids = { id, actorId, datasetId, inputStoreId, requestQueueId, buildId, correlationId };
    this.write({ run: { ...ids, input, target, webhooks, limits, dataset, startedAt: startedAt.toISOString() } });
  }

  scrapeStarted({ status: _, finishedAt: _f, timer: _t, createdAt, ...start }: Scrape): void {
    this.write({ scrape: { ...start, createdAt: createdAt.toISOString() } });
  }

  ended(id: string, status: string, at: Date, costUsd?: number): void {
    this.write({ ended: id, status, at: at.toISOString(), ...(costUsd === undefined ? {} : { costUsd }) });
  }

  settled(id: string): void {
    this.write({ settled: id });
  }

  reset(): void {
    if (this.handle !== undefined) ftruncateSync(this.handle, 0);
  }

  close(): void {
    if (this.handle !== undefined) closeSync(this.handle);
    this.handle = undefined;
  }

  /** Not flushed to the disk: it must survive the process, not the machine. */
  private write(line: Line): void {
    if (this.handle !== undefined) writeSync(this.handle, `${JSON.stringify(line)}\n`);
  }
}

function read(file: string, finishedMax: number) {
  const runs = new Map<string, Remembered<RunRecord>>();
  const scrapes = new Map<string, Remembered<ScrapeRecord>>();
  for (const text of readFileSync(file, 'utf8').split('\n')) {
    const line = parse(text);
    if (!line) continue;
    if ('run' in line) runs.set(line.run.id, { record: line.run, end: undefined, isSettled: false });
    else if ('scrape' in line) scrapes.set(line.scrape.id, { record: line.scrape, end: undefined, isSettled: false });
    else {
      const about = 'ended' in line ? line.ended : line.settled;
      const entry = runs.get(about) ?? scrapes.get(about);
      if (!entry) continue;
      if ('ended' in line) {
        const { status, at, costUsd } = line;
        entry.end = { status, at: new Date(at), ...(costUsd === undefined ? {} : { costUsd }) };
      } else entry.isSettled = true;
    }
  }
  return { runs: newest(runs, finishedMax), scrapes: newest(scrapes, finishedMax) };
}

function newest<T>(entries: Map<string, Remembered<T>>, finishedMax: number): Remembered<T>[] {
  return [...entries.values()].slice(-finishedMax);
}

/** The last line of a process that was killed may be cut off. */
function parse(text: string): Line | undefined {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
