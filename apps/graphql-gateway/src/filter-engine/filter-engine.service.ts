// Keeps the engine in memory. It builds the index of one entity after the other in the background, applies the changes
// of the data, and rebuilds an index when they are too many. An index that does not fit into the memory limit is
// dropped. Nothing waits for it: without an index of the current data version, PostgreSQL answers.
import { Injectable } from '@nestjs/common';
import { buildIndex, type BuildResult, ChangedRows, EmbeddedEngine, type Entity } from '@tradewind/filter-engine';
import { BackgroundWork, connectionOptions, type Work } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import {
  buildTimeoutMs,
  changedRowsMax,
  changedRowsToRebuild,
  retryAfterMs,
  retryTooLargeAfterMs,
  retryTooSmallAfterMs,
  rowsMinOfAuto,
} from './filter-engine-limits.js';
import { RecordChangesStore } from './record-changes.store.js';

const entities: readonly Entity[] = ['company', 'person', 'deal', 'contact'];

interface Followed {
  /** All changes since the build; undefined without an index. */
  changed: ChangedRows | undefined;
  /** The data changed in a way that requires a new build. */
  isLost: boolean;
  refreshing: Promise<void> | undefined;
  buildNotBeforeMs: number;
}

@Injectable()
export class FilterEngineService {
  readonly engine = new EmbeddedEngine();
  private readonly followed = new Map<Entity, Followed>(
    entities.map((entity) => [
      entity,
      { changed: undefined, isLost: false, refreshing: undefined, buildNotBeforeMs: 0 },
    ]),
  );
  /** One at a time: a build takes a processor and memory. */
  private building: Promise<void> | undefined;
  private readonly loop: Work | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly changes: RecordChangesStore,
    private readonly events: AppEvents,
    private readonly background: BackgroundWork,
  ) {
    if (config.FILTER_ENGINE === 'postgres') return;
    this.loop = background.every({
      name: 'filter engine',
      intervalMs: config.FILTER_ENGINE_REFRESH_MS,
      run: () => this.pass(),
    });
    const sum = (valueOf: (entity: Entity) => number) => () =>
      entities.reduce((total, entity) => total + valueOf(entity), 0);
    events.gauge(
      'filter_index_ready',
      'Entities, of four, whose index in memory can answer; PostgreSQL answers for the others',
      sum((entity) => (this.current(entity) ? 1 : 0)),
    );
    events.gauge(
      'filter_index_bytes',
      'Memory of the indexes, bytes',
      sum((entity) => this.engine.size(entity).bytes),
    );
    events.gauge(
      'filter_index_rows',
      'Rows in the indexes as they were built',
      sum((entity) => this.engine.size(entity).rows),
    );
    events.gauge(
      'filter_index_changed_rows',
      'Rows that changed since their index was built',
      sum((entity) => this.followed.get(entity)!.changed?.count ?? 0),
    );
  }

  /** What changed since the build of the index, unless there is none or it needs a new build. See `catchUp`. */
  current(entity: Entity): ChangedRows | undefined {
    const { changed, isLost } = this.followed.get(entity)!;
    return isLost ? undefined : changed;
  }

  /** Brings the changes to the current data version, or to that of a refresh under way. The loop handles failures. */
  catchUp(entity: Entity): Promise<void> {
    const followed = this.followed.get(entity)!;
    followed.refreshing ??= this.background
      .track(this.refresh(entity, followed))
      .finally(() => (followed.refreshing = undefined));
    return followed.refreshing;
  }

  /** To be called when the index turns out to be wrong, which is a bug: it is not used again. */
  distrust(entity: Entity, details: Record<string, unknown>): void {
    this.events.emit('filter_index_wrong', { entity, ...details });
    this.followed.get(entity)!.isLost = true;
    this.loop?.wake();
  }

  private async pass(): Promise<void> {
    for (const entity of entities) {
      const followed = this.followed.get(entity)!;
      if (followed.changed && !followed.isLost) await this.catchUp(entity).catch(ignoreKnownFailure);
    }
    const wanted = entities.find((entity) => this.isBuildWanted(this.followed.get(entity)!));
    if (wanted && !this.building) {
      // Not awaited: until it is done the old index keeps following the changes.
      this.building = this.background.track(this.build(wanted)).finally(() => {
        this.building = undefined;
        this.loop?.wake();
      });
    }
  }

  private isBuildWanted({ changed, isLost, buildNotBeforeMs }: Followed): boolean {
    return (!changed || isLost || changed.count > changedRowsToRebuild) && performance.now() >= buildNotBeforeMs;
  }

  private async refresh(entity: Entity, followed: Followed): Promise<void> {
    const { changed } = followed;
    if (!changed) return;
    const changes = await this.changes.since(entity, changed.version, changedRowsMax - changed.count);
    if (followed.changed !== changed) return;
    if (changes.outcome === 'known') {
      if (changes.version !== changed.version) changed.apply(changes.version, changes.rows);
      return;
    }
    if (!followed.isLost) this.events.emit('filter_index_lost', { entity, version: String(changes.version) });
    followed.isLost = true;
    this.loop?.wake();
  }

  private async build(entity: Entity): Promise<void> {
    const followed = this.followed.get(entity)!;
    const startedMs = performance.now();
    const waitUntil = (ms: number) => (followed.buildNotBeforeMs = performance.now() + ms);
    if (await this.isTooSmall(entity, followed)) return;
    let result = await this.run(entity, this.bytesLeft());
    if (result.outcome === 'too_large' && followed.changed) {
      // The old and the new index do not fit together: PostgreSQL answers until the new one is there.
      this.forget(entity);
      result = await this.run(entity, this.bytesLeft());
    }
    const seconds = (performance.now() - startedMs) / 1000;
    if (result.outcome === 'stopped') return;
    if (result.outcome === 'built') {
      const { built } = result;
      this.engine.use(built);
      followed.changed = new ChangedRows(BigInt(built.version));
      followed.isLost = false;
      // If writes are faster than every build, builds must not keep the database busy for nothing.
      waitUntil(2 * 1000 * seconds);
      const { version, rowCount: rows, bytes } = built;
      this.events.emit('filter_index_built', { entity, seconds, rows, bytes, version });
      return;
    }
    const isTooLarge = result.outcome === 'too_large';
    // Changes that nothing needs are not kept: an index that is lost is not used again.
    if (isTooLarge || followed.isLost) this.forget(entity);
    waitUntil(isTooLarge ? retryTooLargeAfterMs : retryAfterMs);
    const message = isTooLarge
      ? `the index needs more than FILTER_ENGINE_MEMORY_MAX_MB = ${this.config.FILTER_ENGINE_MEMORY_MAX_MB} leaves`
      : (result as { message: string }).message;
    this.events.emit('filter_index_failed', { entity, reason: result.outcome, message });
  }

  /** With `auto`, a small table has no index; one that became small loses it. */
  private async isTooSmall(entity: Entity, followed: Followed): Promise<boolean> {
    if (this.config.FILTER_ENGINE !== 'auto') return false;
    let rows: number;
    try {
      rows = await this.changes.estimatedRows(entity);
    } catch (error) {
      ignoreKnownFailure(error);
      rows = 0;
    }
    if (rows >= rowsMinOfAuto) return false;
    if (followed.isLost) this.forget(entity);
    followed.buildNotBeforeMs = performance.now() + retryTooSmallAfterMs;
    return true;
  }

  private bytesLeft(): number {
    const used = entities.reduce((total, entity) => total + this.engine.size(entity).bytes, 0);
    return this.config.FILTER_ENGINE_MEMORY_MAX_MB * 2 ** 20 - used;
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

  private forget(entity: Entity): void {
    this.engine.drop(entity);
    const followed = this.followed.get(entity)!;
    followed.changed = undefined;
    followed.isLost = false;
  }
}

/** DataStore has reported the failure already; the next pass tries again. */
function ignoreKnownFailure(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}
