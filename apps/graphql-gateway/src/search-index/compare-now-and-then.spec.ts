import type { CheckOutcome, Entity, Feeder } from '@tradewind/filter-engine';
import { describe, expect, it } from '@jest/globals';
import type { AppEvents } from '../events.js';
import { compareNowAndThen } from './compare-now-and-then.js';
import type { SearchIndexFeeders } from './search-index.feeders.js';

/** Compares until it was asked for all outcomes, and returns the events. */
async function compared(outcomes: (CheckOutcome | Error)[], leads: boolean) {
  const stop = new AbortController();
  const emitted: [name: string, fields: Record<string, unknown>][] = [];
  const check = (): Promise<CheckOutcome> => {
    const outcome = outcomes.shift()!;
    if (outcomes.length === 0) stop.abort();
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  };
  const feeders = { use: (_: Entity, work: (feeder: Feeder) => unknown) => work({ check } as unknown as Feeder) };
  if (!leads) setTimeout(() => stop.abort(), 50);
  await compareNowAndThen('deal', {
    feeders: feeders as unknown as SearchIndexFeeders,
    events: { emit: (...event: (typeof emitted)[0]) => emitted.push(event) } as unknown as AppEvents,
    signal: stop.signal,
    upToDateMs: new Map(leads ? [['deal', 0]] : []),
    intervalMs: 10,
    sample: 100,
  });
  return emitted;
}

describe('a process that feeds an index', () => {
  it('counts what it compared and what differed, and goes on after a failure', async () => {
    const emitted = await compared(
      [new Error('away'), { compared: 100, wrongIds: [] }, { compared: 90, wrongIds: ['3', '4'] }],
      true,
    );
    expect(emitted).toEqual([
      ['search_index_failed', { entity: 'deal', err: new Error('away') }],
      ['search_index_compared', { entity: 'deal', records: 100 }],
      ['search_index_compared', { entity: 'deal', records: 90 }],
      ['search_index_differed', { entity: 'deal', records: 2, ids: ['3', '4'] }],
    ]);
  });

  it('leaves the comparison to the process that leads', async () => {
    expect(await compared([{ compared: 1, wrongIds: ['1'] }], false)).toEqual([]);
  });
});
