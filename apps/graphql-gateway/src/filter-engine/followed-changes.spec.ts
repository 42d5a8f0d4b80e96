import { describe, expect, it, jest } from '@jest/globals';
import { indexedEntities } from '@tradewind/filter-engine';
import { BackgroundWork, Logger, Metrics } from '@tradewind/service-kit';
import type { AppConfig } from '../app.config.js';
import type { AppEvents } from '../events.js';
import type { EngineMaintenance } from './engine-maintenance.port.js';
import { FollowedChanges } from './followed-changes.js';
import type { RecordChanges, RecordChangesStore } from './record-changes.store.js';

/** Follows what `since` says is newer than the version of the engine. */
function follow(since: () => Promise<RecordChanges>) {
  const background = new BackgroundWork({ error: () => undefined } as unknown as Logger, new Metrics(), 1_000);
  const maintenance = {
    engine: { name: 'opensearch', version: () => 5n },
    maintain: () => Promise.resolve(),
    // The cluster keeps its old index until the new one is built.
    discard: () => undefined,
  } as unknown as EngineMaintenance;
  const events = { gauge: () => undefined, emit: () => undefined } as unknown as AppEvents;
  const changes = new FollowedChanges(
    { FILTER_ENGINE_REFRESH_MS: 3_600_000 } as AppConfig,
    { since } as unknown as RecordChangesStore,
    events,
    background,
    maintenance,
  );
  return { background, changes };
}

describe('the changes that are followed', () => {
  it('are looked for once in each interval while they are not known, as during a build in OpenSearch', async () => {
    const since = jest.fn(() => Promise.resolve({ outcome: 'unknown' as const, version: 9n }));
    const { background, changes } = follow(since);
    background.start();
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    await background.onModuleDestroy();
    expect(changes.current('company')).toBeUndefined();
    expect(since).toHaveBeenCalledTimes(indexedEntities.length);
  });

  it('catch up from a moment on by a read that begins after it, which callers share', async () => {
    const reads: ((version: bigint) => void)[] = [];
    const since = () =>
      new Promise<RecordChanges>((resolve) => {
        reads.push((version) => resolve({ outcome: 'known', version, mark: null, rows: [] }));
      });
    const { changes } = follow(since);
    const underWay = changes.catchUp('company');
    const later = [changes.catchUpFromNow('company'), changes.catchUpFromNow('company')];
    reads[0]!(6n);
    await underWay;
    expect(changes.current('company')?.version).toBe(6n);
    for (let turn = 0; turn < 10 && reads.length < 2; turn++) await Promise.resolve();
    expect(reads).toHaveLength(2);
    reads[1]!(7n);
    await Promise.all(later);
    expect(changes.current('company')?.version).toBe(7n);
    expect(reads).toHaveLength(2);
    expect(changes.isWritten('company')).toBe(true);
    expect(changes.isWritten('deal')).toBe(false);
  });
});
