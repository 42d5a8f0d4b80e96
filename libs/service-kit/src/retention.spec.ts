import { describe, expect, it } from '@jest/globals';
import type { BackgroundWork, RepeatedWork } from './background-work.js';
import type { Db } from './database/db.js';
import { registerRetention, type RetentionStep } from './retention.js';

describe('a pass of retention', () => {
  const calls: string[] = [];
  const filled = (table: string, batches: number[]): RetentionStep => ({
    table,
    remove: async () => {
      calls.push(table);
      return batches.shift() ?? 0;
    },
  });
  const failing: RetentionStep = {
    table: 'broken',
    remove: async () => {
      calls.push('broken');
      throw new Error('broken');
    },
  };

  async function pass(steps: RetentionStep[], signal = new AbortController().signal) {
    calls.length = 0;
    const removed: Record<string, number> = {};
    let task: RepeatedWork | undefined;
    registerRetention({ every: (each: RepeatedWork) => (task = each) } as unknown as BackgroundWork, {
      db: {
        transaction: (work: (tx: object) => Promise<number>) => work({ rows: async () => [{ is_ours: true }] }),
      } as unknown as Db,
      steps,
      batchRows: 10,
      onRemoved: (table, rows) => (removed[table] = rows),
    });
    const failure = await Promise.resolve(task!.run(signal)).catch((error: Error) => error.message);
    return { removed, failure, calls: [...calls] };
  }

  it('takes a batch of each table in turn until each is done', async () => {
    const steps = [filled('large', [10, 10, 3]), filled('small', [2]), filled('empty', [])];
    expect(await pass(steps)).toEqual({
      removed: { large: 23, small: 2 },
      failure: undefined,
      calls: ['large', 'small', 'empty', 'large', 'large'],
    });
  });

  it('goes on with the other tables when one fails, and then fails', async () => {
    const outcome = await pass([failing, filled('large', [10, 1])]);
    expect(outcome).toEqual({ removed: { large: 11 }, failure: 'broken', calls: ['broken', 'large', 'large'] });
  });

  it('takes no further batch when it is asked to stop', async () => {
    const stop = new AbortController();
    const first: RetentionStep = {
      table: 'first',
      remove: async () => {
        stop.abort();
        return 10;
      },
    };
    const { removed, calls: later } = await pass([first, filled('second', [10])], stop.signal);
    expect([removed, later]).toEqual([{ first: 10 }, []]);
  });
});
