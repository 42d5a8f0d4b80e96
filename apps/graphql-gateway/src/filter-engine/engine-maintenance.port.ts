// What an engine needs beside its queries: an index that is built, or a cluster that is asked what it holds. One
// implementation for each value of FILTER_ENGINE.
import type { ChangedRows, Entity, FilterEngine } from '@tradewind/filter-engine';

export abstract class EngineMaintenance {
  abstract readonly engine: FilterEngine;

  /**
   * Called for every entity every FILTER_ENGINE_REFRESH_MS. It starts long work and does not wait for it.
   * @param changed records that changed since the engine's version; undefined when they are not known
   * @throws what keeps the engine from answering
   */
  abstract maintain(entity: Entity, changed: ChangedRows | undefined): Promise<void>;

  /** The changes since the engine's version can no longer be known, or its answers are wrong. */
  abstract discard(entity: Entity): void;
}
