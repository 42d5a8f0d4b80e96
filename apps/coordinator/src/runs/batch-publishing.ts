import { Injectable } from '@nestjs/common';
import { Queue, type QueueMessage } from '@tradewind/cloud-ports';
import { traceAttributes, withSpan } from '@tradewind/service-kit';
import { profileBatchTopic, retry } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import type { Run } from './run.entity.js';
import type { RunBatch } from './run.types.js';
import { RunStopped, RunTakenOver } from './runs.errors.js';
import { RunsStore } from './runs.store.js';

/** Short failures of the queue are retried. A longer one interrupts the run, which is resumed later. */
const publishRetry = { attempts: 5, backoffMsMin: 200, backoffMsMax: 5_000, isRetryable: () => true };

/**
 * Publishes the numbered batches of a run. A batch is marked after the queue has it. So a crash between the two
 * publishes it again, under the same idempotency key. The embedded queue drops the repeat, priority-api recognises its
 * profiles, and none is missed.
 */
@Injectable()
export class BatchPublishing {
  constructor(
    private readonly runs: RunsStore,
    private readonly queue: Queue,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
  ) {}

  /**
   * While one chunk is published, the next one is read and the one before is marked. At most two chunks are in memory,
   * and a crash leaves at most two published ones unmarked.
   */
  async publish(
    run: Run,
    holder: string,
    options: { signal: AbortSignal; onPublished: (batches: number) => void },
  ): Promise<void> {
    const size = this.config.PUBLISH_CHUNK_BATCHES;
    let reading = this.runs.listUnpublished(run.runId, 0, size);
    let marking = Promise.resolve();
    try {
      for (;;) {
        const chunk = await reading;
        const last = chunk.at(-1);
        if (!last) break;
        if (options.signal.aborted) throw new RunStopped(run.runId);
        reading = awaitedLater(this.runs.listUnpublished(run.runId, last.batchNumber, size));
        await this.publishChunk(run, chunk);
        await marking;
        marking = awaitedLater(this.mark(run, holder, chunk, options.onPublished));
      }
      await marking;
    } finally {
      // When the lock of the run is released, nothing of the run is on its way any more.
      await Promise.allSettled([reading, marking]);
    }
    if (!(await this.runs.complete(run.runId, holder))) throw new RunTakenOver(run.runId);
  }

  private async publishChunk(run: Run, chunk: readonly RunBatch[]): Promise<void> {
    await withSpan('publish batches', async () => {
      const messages = chunk.map((batch) => toMessage(run, batch));
      await retry(() => this.queue.publish(profileBatchTopic, messages), publishRetry);
    });
  }

  private async mark(
    run: Run,
    holder: string,
    chunk: readonly RunBatch[],
    onPublished: (batches: number) => void,
  ): Promise<void> {
    const numbers = chunk.map(({ batchNumber }) => batchNumber);
    if (!(await this.runs.recordPublished(run.runId, holder, numbers))) throw new RunTakenOver(run.runId);
    this.events.emit('batches_published', { run_id: run.runId, batches: chunk.length });
    onPublished(chunk.length);
  }
}

/** The promise itself; a failure before it is awaited does not count as unhandled. */
function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function toMessage(run: Run, batch: RunBatch): QueueMessage {
  return {
    data: batch.message,
    attributes: {
      batch_number: String(batch.batchNumber),
      total_batches: String(run.totalBatches),
      month: run.month,
      run_id: run.runId,
      // Makes priority-api start again what this month has started already.
      ...(run.forced ? { forced_run_id: run.runId } : {}),
      ...traceAttributes(),
    },
    idempotencyKey: `${run.runId}/${batch.batchNumber}`,
  };
}
