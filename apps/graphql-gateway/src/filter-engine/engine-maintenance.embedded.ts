// Builds the indexes of the engine in memory: one entity after the other in the background, and again when too many
// records changed. Until then, and during a build, the records that changed get an index of their own, again and again.
// An index that does not fit into the memory limit is dropped. Nothing waits for a build.
import { totalmem } from 'node:os';
import {
  buildIndex,
  type BuildResult,
  type ChangedIds,
  type ChangedRows,
  EmbeddedEngine,
  type Entity,
  indexedEntities,
} from '@tradewind/filter-engine';
import { type BackgroundWork, connectionOptions, errorText } from '@tradewind/service-kit';
import type { AppConfig } from '../app.config.js';
import type { AppEvents } from '../events.js';
import { EngineMaintenance } from './engine-maintenance.port.js';
import {
  buildTimeoutMs,
  changedRowsMemoryPart,
  changedRowsToIndex,
  changedRowsToRebuild,
  indexBytesMax,
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
  /** Beside it, also one at a time: an index of changed records takes a second or two. */
  private indexing: Promise<void> | undefined;
  private indexNotBeforeMs = 0;
  /** What is read before a discard may be of a database that was restored since. */
  private discards = 0;
  private readonly bytesMax: number;

  constructor(
    private readonly config: AppConfig,
    private readonly changes: RecordChangesStore,
    private readonly events: AppEvents,
    private readonly background: BackgroundWork,
  ) {
    super();
    // Without a limit of a container this is 0, or more than the machine has.
    const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
    this.bytesMax = indexBytesMax(config.FILTER_ENGINE_MEMORY_MAX_MB, memoryBytes);
    events.gauge('filter_index_bytes', 'Memory of the indexes of the engine in memory, bytes', () => this.bytesUsed());
    events.gauge('filter_index_rows', 'Rows in the indexes of the engine in memory as they were built', () =>
      indexedEntities.reduce((total, entity) => total + this.engine.size(entity).rows, 0),
    );
  }

  override maintain(entity: Entity, changed: ChangedRows | undefined): Promise<void> {
    const isMissing = this.engine.version(entity) === undefined;
    const isDue = performance.now() >= (this.buildNotBeforeMs.get(entity) ?? 0);
    if ((isMissing || this.isMuchChanged(entity)) && isDue && !this.building) {
      // Until it is done, the old index keeps answering.
      this.building = this.background
        .track(this.build(entity).catch((error: unknown) => this.fail(entity, error)))
        .finally(() => (this.building = undefined));
    }
    const mayIndex = !this.indexing && performance.now() >= this.indexNotBeforeMs;
    if (!isMissing && changed && changed.count > changedRowsToIndex && mayIndex) {
      const { ids, version: upTo } = changed;
      this.indexing = this.background
        .track(
          this.indexChanges(entity, [...this.engine.changedIds(entity), { ids, upTo }]).catch((error: unknown) =>
            this.fail(entity, error),
          ),
        )
        .finally(() => (this.indexing = undefined));
    }
    return Promise.resolve();
  }

  private isMuchChanged(entity: Entity): boolean {
    return this.engine.changedIds(entity).reduce((total, { ids }) => total + ids.length, 0) > changedRowsToRebuild;
  }

  private async indexChanges(entity: Entity, changed: readonly ChangedIds[]): Promise<void> {
    const ids = [...new Set(changed.flatMap((each) => each.ids))];
    const { discards } = this;
    const result = await this.run(entity, this.bytesLeft() * changedRowsMemoryPart, ids);
    if (result.outcome === 'stopped' || discards !== this.discards) return;
    if (result.outcome === 'built') {
      this.engine.useChanges(result.built, changed);
      return;
    }
    // If it goes on, there are more changes than can be followed, and the index is built as a whole.
    this.indexNotBeforeMs = performance.now() + retryAfterMs;
    const message = result.outcome === 'failed' ? result.message : 'the changed records do not fit into memory';
    this.events.emit('filter_index_failed', { entity, reason: result.outcome, message });
  }

  /** What no result names, such as a database that is away before the build has begun. */
  private fail(entity: Entity, error: unknown): void {
    this.buildNotBeforeMs.set(entity, performance.now() + retryAfterMs);
    this.indexNotBeforeMs = performance.now() + retryAfterMs;
    this.events.emit('filter_index_failed', { entity, reason: 'failed', message: errorText(error) });
  }

  override discard(entity: Entity): void {
    this.discards += 1;
    this.engine.drop(entity);
  }

  private async build(entity: Entity): Promise<void> {
    const startedMs = performance.now();
    const waitFor = (ms: number) => this.buildNotBeforeMs.set(entity, performance.now() + ms);
    if (await this.isTooSmall(entity)) {
      waitFor(retryTooSmallAfterMs);
      return;
    }
    let result = await this.run(entity, this.bytesLeft() * (1 - changedRowsMemoryPart));
    if (result.outcome === 'too_large' && this.engine.version(entity) !== undefined) {
      // The old and the new index do not fit together: PostgreSQL answers until the new one is there.
      this.engine.drop(entity);
      result = await this.run(entity, this.bytesLeft() * (1 - changedRowsMemoryPart));
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
      ? `the index does not fit. All of them may take ${Math.floor(this.bytesMax / 2 ** 20)} MiB, which is FILTER_ENGINE_MEMORY_MAX_MB or a third of the memory there is`
      : (result as { message: string }).message;
    this.events.emit('filter_index_failed', { entity, reason: result.outcome, message });
  }

  /** With `auto`, a small table has no index, unless many contacts are asked for by their persons. */
  private async isTooSmall(entity: Entity): Promise<boolean> {
    if (this.config.FILTER_ENGINE !== 'auto') return false;
    const tables: Entity[] = entity === 'person' ? ['person', 'contact'] : [entity];
    const rows = await Promise.all(tables.map((table) => this.changes.estimatedRows(table)));
    return Math.max(...rows) < rowsMinOfAuto;
  }

  private bytesUsed(): number {
    return indexedEntities.reduce((total, entity) => total + this.engine.size(entity).bytes, 0);
  }

  private bytesLeft(): number {
    return this.bytesMax - this.bytesUsed();
  }

  private run(entity: Entity, bytesMax: number, ids?: readonly bigint[]): Promise<BuildResult> {
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
      {
        connection: { ...connection, query_timeout: connection.answerTimeoutMs },
        entity,
        bytesMax,
        ...(ids && { ids }),
      },
      this.background.stopping,
    );
  }
}
