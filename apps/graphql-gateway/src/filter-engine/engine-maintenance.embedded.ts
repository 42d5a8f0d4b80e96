// Builds the indexes of the engine in memory: one entity after the other in the background, and again when too many
// records changed. An index that does not fit into the memory limit is dropped. Nothing waits for a build.
import { buildIndex, type BuildResult, EmbeddedEngine, type Entity, indexedEntities } from '@tradewind/filter-engine';
import { type BackgroundWork, connectionOptions } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import type { AppConfig } from '../app.config.js';
import type { AppEvents } from '../events.js';
import { EngineMaintenance } from './engine-maintenance.port.js';
import {
  buildTimeoutMs,
  changedRowsToRebuild,
  retryAfterMs,
  retryTooLargeAfterMs,
  retryTooSmallAfterMs,
  rowsMinOfAuto,
} from './filter-engine-limits.js';
import type { RecordChangesStore } from './record-changes.store.js';

export class EmbeddedMaintenance extends EngineMaintenance {
  readonly engine = new EmbeddedEngine();
  private readonly buildNotBeforeMs = new Map<Entity, number>();
  /** One at a time: a build takes a processor and memory. */
  private building: Promise<void> | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly changes: RecordChangesStore,
    private readonly events: AppEvents,
    private readonly background: BackgroundWork,
  ) {
    super();
    events.gauge('filter_index_bytes', 'Memory of the indexes of the engine in memory, bytes', () => this.bytesUsed());
    events.gauge('filter_index_rows', 'Rows in the indexes of the engine in memory as they were built', () =>
      indexedEntities.reduce((total, entity) => total + this.engine.size(entity).rows, 0),
    );
  }

  override maintain(entity: Entity, changedCount: number | undefined): Promise<void> {
    const isMissing = this.engine.version(entity) === undefined;
    const isWanted = isMissing || (changedCount ?? 0) > changedRowsToRebuild;
    const isDue = performance.now() >= (this.buildNotBeforeMs.get(entity) ?? 0);
    if (isWanted && isDue && !this.building) {
      // Until it is done, the old index keeps answering.
      this.building = this.background.track(this.build(entity)).finally(() => (this.building = undefined));
    }
    return Promise.resolve();
  }

  override discard(entity: Entity): void {
    this.engine.drop(entity);
  }

  private async build(entity: Entity): Promise<void> {
    const startedMs = performance.now();
    const waitFor = (ms: number) => this.buildNotBeforeMs.set(entity, performance.now() + ms);
    if (await this.isTooSmall(entity)) {
      waitFor(retryTooSmallAfterMs);
      return;
    }
    let result = await this.run(entity, this.bytesLeft());
    if (result.outcome === 'too_large' && this.engine.version(entity) !== undefined) {
      // The old and the new index do not fit together: PostgreSQL answers until the new one is there.
      this.engine.drop(entity);
      result = await this.run(entity, this.bytesLeft());
    }
    const seconds = (performance.now() - startedMs) / 1000;
    if (result.outcome === 'stopped') return;
    if (result.outcome === 'built') {
      const { built } = result;
      this.engine.use(built);
      // If writes are faster than every build, builds must not keep the database busy for nothing.
      waitFor(2 * 1000 * seconds);
      const { version, rowCount: rows, bytes } = built;
      this.events.emit('filter_index_built', { entity, seconds, rows, bytes, version });
      return;
    }
    const isTooLarge = result.outcome === 'too_large';
    if (isTooLarge) this.engine.drop(entity);
    waitFor(isTooLarge ? retryTooLargeAfterMs : retryAfterMs);
    const message = isTooLarge
      ? `the index needs more than FILTER_ENGINE_MEMORY_MAX_MB = ${this.config.FILTER_ENGINE_MEMORY_MAX_MB} leaves`
      : (result as { message: string }).message;
    this.events.emit('filter_index_failed', { entity, reason: result.outcome, message });
  }

  /** With `auto`, a small table has no index. */
  private async isTooSmall(entity: Entity): Promise<boolean> {
    if (this.config.FILTER_ENGINE !== 'auto') return false;
    try {
      return (await this.changes.estimatedRows(entity)) < rowsMinOfAuto;
    } catch (error) {
      // DataStore has reported the failure already.
      if (error instanceof ServiceError) return true;
      throw error;
    }
  }

  private bytesUsed(): number {
    return indexedEntities.reduce((total, entity) => total + this.engine.size(entity).bytes, 0);
  }

  private bytesLeft(): number {
    return this.config.FILTER_ENGINE_MEMORY_MAX_MB * 2 ** 20 - this.bytesUsed();
  }

  private run(entity: Entity, bytesMax: number): Promise<BuildResult> {
    const { config } = this;
    const connection = connectionOptions(
      {
        DATABASE_URL: config.DATA_DATABASE_URL ?? config.DATABASE_URL,
        DATABASE_SCHEMA: config.DATABASE_SCHEMA,
        DATABASE_POOL_SIZE: 1,
        DATABASE_CONNECTION_TIMEOUT_MS: config.DATABASE_CONNECTION_TIMEOUT_MS,
        DATABASE_STATEMENT_TIMEOUT_MS: buildTimeoutMs,
      },
      'graphql_gateway filter index',
    );
    return buildIndex(
      { connection: { ...connection, query_timeout: connection.answerTimeoutMs }, entity, bytesMax },
      this.background.stopping,
    );
  }
}
