import { describe, expect, it, jest } from '@jest/globals';
import { indexedEntities } from '@tradewind/filter-engine';
import { BackgroundWork, Logger, Metrics } from '@tradewind/service-kit';
import type { AppConfig } from '../app.config.js';
import type { AppEvents } from '../events.js';
import type { EngineMaintenance } from './engine-maintenance.port.js';
import { FollowedChanges } from './followed-changes.js';
import type { RecordChangesStore } from './record-changes.store.js';

describe('the changes that are followed', () => {
  it('are looked for once in each interval while they are not known, as during a build in OpenSearch', async () => {
    const background = new BackgroundWork({ error: () => undefined } as unknown as Logger, new Metrics(), 1_000);
    const since = jest.fn(() => Promise.resolve({ outcome: 'unknown' as const, version: 9n }));
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
    background.start();
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
    await background.onModuleDestroy();
    expect(changes.current('company')).toBeUndefined();
    expect(since).toHaveBeenCalledTimes(indexedEntities.length);
  });
});
