// `index follow`: feeds the index of an entity until the process is told to stop. Of several processes one leads. When
// it is gone, another one goes on: at once if its connection ended, after a minute if its machine vanished.
import { setTimeout as delay } from 'node:timers/promises';
import type { Entity, FollowEvent } from '@tradewind/filter-engine';
import { OperatorError } from '@tradewind/service-kit';
import type { AppEvents } from '../events.js';
import type { SearchIndexFeeders } from './search-index.feeders.js';

/** A search shows a change a second after it is written; looking for changes costs two requests. */
const intervalMs = 500;
const retryAfterMs = 1_000;

export interface Following {
  feeders: SearchIndexFeeders;
  events: AppEvents;
  signal: AbortSignal;
  /** When the index of an entity was last up to date, by performance.now(); only of those that this process feeds. */
  upToDateMs: Map<Entity, number>;
}

/** Resolves after the signal, when the changes that it had read are written. */
export async function followChanges(entity: Entity, { feeders, events, signal, upToDateMs }: Following): Promise<void> {
  let isFailing = false;
  const onEvent = (event: FollowEvent) => {
    isFailing = false;
    if (event === 'waiting') upToDateMs.delete(entity);
    else if (event === 'up_to_date' || !upToDateMs.has(entity)) upToDateMs.set(entity, performance.now());
    if (event === 'leading' || event === 'building') events.emit(`search_index_${event}`, { entity });
  };
  while (!signal.aborted) {
    try {
      await feeders.use(entity, (feeder) => feeder.follow(signal, { intervalMs, onEvent }));
    } catch (error) {
      // Without a setting there is nothing to wait for.
      if (error instanceof OperatorError) throw error;
      if (!isFailing) events.emit('search_index_failed', { entity, err: error });
      isFailing = true;
      await delay(retryAfterMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
