// The thread that builds the index: reading ten million rows keeps a core busy for a minute, which must not slow down
// requests. It says that it is reading, sends each column as soon as it is finished, then its result, and ends.
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import type { BuildOrder, BuildProgress, BuildResult, FinishedColumn } from './build-index.js';
import type { ColumnParts } from './column-index.js';
import { IndexTooLarge } from './memory-budget.js';
import { buffersOf, readIndex } from './read-index.js';

const { connection, entity, bytesMax, ids } = workerData as BuildOrder;
const client = new pg.Client(connection);
// A lost connection makes the current query fail; without a query it does not matter.
client.on('error', () => undefined);

const progressIntervalMs = 1_000;
let progressAtMs = 0;
const onRead = () => {
  if (performance.now() < progressAtMs) return;
  progressAtMs = performance.now() + progressIntervalMs;
  parentPort!.postMessage({ outcome: 'reading' } satisfies BuildProgress);
};
// All at once would be gigabytes, for which V8 stops the thread of requests until it has collected all garbage.
const takeColumn = (column: string, parts: ColumnParts) =>
  parentPort!.postMessage({ outcome: 'column', column, parts } satisfies FinishedColumn, buffersOf(parts));
const answer = (result: BuildResult, buffers: ArrayBuffer[] = []) => parentPort!.postMessage(result, buffers);
try {
  await client.connect();
  const built = await readIndex(client, entity, { bytesMax, ids, onRead, takeColumn });
  answer({ outcome: 'built', built }, [built.parts.ids.buffer as ArrayBuffer]);
} catch (error) {
  if (error instanceof IndexTooLarge) answer({ outcome: 'too_large', bytesWanted: error.bytesWanted });
  else answer({ outcome: 'failed', message: error instanceof Error ? error.message : String(error) });
}
await client.end().catch(() => undefined);
