// Builds the index of an entity in a thread of its own.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type pg from 'pg';
import type { ColumnParts } from './column-index.js';
import type { Entity } from '../filter-engine.port.js';
import type { BuiltIndex } from './read-index.js';

export interface BuildOrder {
  /** Without functions: it goes to another thread. */
  connection: pg.ClientConfig;
  entity: Entity;
  /** Most memory that the build may take. */
  bytesMax: number;
  /** Of the rows that the index holds; all rows unless given. */
  ids?: readonly bigint[];
  /** The build fails when the database sends nothing for so long; five minutes by default. */
  silenceMsMax?: number;
}

/** Sent by the thread, at most once a second: the database has sent something. */
export interface BuildProgress {
  outcome: 'reading';
}

/** Sent by the thread for each column, before the index itself, which then has no columns. */
export interface FinishedColumn {
  outcome: 'column';
  column: string;
  parts: ColumnParts;
}

export type BuildResult =
  | { outcome: 'built'; built: BuiltIndex }
  | { outcome: 'too_large'; bytesWanted: number }
  | { outcome: 'failed'; message: string }
  /** The signal was aborted. */
  | { outcome: 'stopped' };

/** The thread has its own heap. What the index is made of lies in buffers outside of it. */
const heapMaxMb = 8192;

/** Counting the rows of a large table takes minutes, in which nothing comes. */
const silenceMsMaxDefault = 5 * 60_000;

/** Never rejects. An abort ends the thread and its database connection at once. */
export function buildIndex(order: BuildOrder, signal: AbortSignal): Promise<BuildResult> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ outcome: 'stopped' });
    const worker = new Worker(workerFile(), {
      workerData: order,
      name: 'filter-index',
      resourceLimits: { maxOldGenerationSizeMb: heapMaxMb },
    });
    const stop = () => {
      resolve({ outcome: 'stopped' });
      void worker.terminate();
    };
    // Of a database that hangs, a client without a statement in time learns nothing.
    const silenceMsMax = order.silenceMsMax ?? silenceMsMaxDefault;
    const silence = setTimeout(() => {
      resolve({ outcome: 'failed', message: `the database sent nothing for ${silenceMsMax / 1000} s` });
      void worker.terminate();
    }, silenceMsMax);
    signal.addEventListener('abort', stop, { once: true });
    const columns: Record<string, ColumnParts> = {};
    worker.on('message', (message: BuildProgress | FinishedColumn | BuildResult) => {
      silence.refresh();
      if (message.outcome === 'reading') return;
      if (message.outcome === 'column') columns[message.column] = message.parts;
      else if (message.outcome === 'built') resolve(withColumns(message.built, columns));
      else resolve(message);
    });
    worker.once('error', (error) => resolve({ outcome: 'failed', message: String(error) }));
    worker.once('exit', (code) => {
      clearTimeout(silence);
      signal.removeEventListener('abort', stop);
      // After a message this has no effect.
      resolve({ outcome: 'failed', message: `the thread ended with code ${code}` });
    });
  });
}

function withColumns(built: BuiltIndex, columns: Record<string, ColumnParts>): BuildResult {
  return { outcome: 'built', built: { ...built, parts: { ...built.parts, columns } } };
}

/** Tests run the sources, but a thread has no loader for TypeScript, so it runs the built file. */
function workerFile(): string {
  const beside = fileURLToPath(new URL('./build-index.worker.js', import.meta.url));
  return existsSync(beside) ? beside : beside.replace('/src/embedded/', '/dist/embedded/');
}
