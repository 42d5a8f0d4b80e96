// Follows the changes of the data since the version of the engine, whichever engine it is. An engine leaves out the
// records that changed, and the page reader judges them.
import { Inject, Injectable } from '@nestjs/common';
import { ChangedRows, type Entity, indexedEntities } from '@tradewind/filter-engine';
import { BackgroundWork } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { EngineMaintenance } from './engine-maintenance.port.js';
import { changedRowsMax, distrustedMs } from './filter-engine-limits.js';
import { RecordChangesStore } from './record-changes.store.js';

interface Followed {
  /** All changes since the version of the engine; undefined while it has none, and when they are not known. */
  changed: ChangedRows | undefined;
  /** That of the version of `changed`. */
  mark: string | null;
  refreshing: Promise<void> | undefined;
  /** By performance.now(). */
  distrustedUntilMs: number;
  /** When a new version was found last, by performance.now(). */
  writtenAtMs: number;
  /** When changes were found that the engine lacked, oldest first. */
  found: { version: bigint; atMs: number }[];
}

/** Whoever wrote within this time is taken to be writing still. */
const writtenMs = 1_000;

/** A lag is known to the second, and its oldest change is what counts. */
const foundIntervalMs = 1_000;
const foundMax = 1_000;

@Injectable()
export class FollowedChanges {
  private readonly followed = new Map<Entity, Followed>(
    indexedEntities.map((entity) => [
      entity,
      {
        changed: undefined,
        mark: null,
        refreshing: undefined,
        distrustedUntilMs: 0,
        writtenAtMs: -Infinity,
        found: [],
      },
    ]),
  );

  constructor(
    config: AppConfig,
    private readonly changes: RecordChangesStore,
    private readonly events: AppEvents,
    private readonly background: BackgroundWork,
    /** Null when PostgreSQL alone answers. */
    @Inject(EngineMaintenance) private readonly maintenance: EngineMaintenance | null,
  ) {
    if (!maintenance) return;
    background.every({
      name: 'filter engine',
      intervalMs: config.FILTER_ENGINE_REFRESH_MS,
      run: () => this.pass(maintenance),
    });
    events.gauge(
      'filter_index_ready',
      'Entities, of four, that the filter engine can answer for; PostgreSQL answers for the others',
      () => indexedEntities.filter((entity) => this.current(entity)).length,
    );
    events.gauge(
      'filter_engine_lag_seconds',
      'How long ago the oldest change was found that the filter engine lacks; the longest of all entities',
      () => Math.max(...indexedEntities.map((entity) => this.lagSeconds(entity))),
    );
    events.gauge(
      'filter_index_changed_rows',
      'Records that changed since the version of the filter engine, all entities together',
      () => indexedEntities.reduce((total, entity) => total + (this.current(entity)?.count ?? 0), 0),
    );
  }

  /** How long ago the oldest change was found that the engine lacks; 0 when it lacks none, or has no data at all. */
  lagSeconds(entity: Entity): number {
    const version = this.maintenance?.engine.version(entity);
    if (version === undefined) return 0;
    const oldest = this.followed.get(entity)!.found.find((each) => each.version > version);
    return oldest ? (performance.now() - oldest.atMs) / 1000 : 0;
  }

  /** What changed since the version of the engine; undefined while it cannot answer. See `catchUp`. */
  current(entity: Entity): ChangedRows | undefined {
    return this.followed.get(entity)!.changed;
  }

  /** Whether a new version was found within the last second. */
  isWritten(entity: Entity): boolean {
    return performance.now() - this.followed.get(entity)!.writtenAtMs < writtenMs;
  }

  /** Brings the changes to the data version of this moment, or a later one. */
  async catchUpFromNow(entity: Entity): Promise<void> {
    // One under way may have read an earlier version.
    await this.followed.get(entity)!.refreshing?.catch(() => undefined);
    return this.catchUp(entity);
  }

  /** Brings the changes to the current data version, or to that of a refresh under way. The loop handles failures. */
  catchUp(entity: Entity): Promise<void> {
    const followed = this.followed.get(entity)!;
    followed.refreshing ??= this.background
      .track(this.refresh(entity, followed))
      .finally(() => (followed.refreshing = undefined));
    return followed.refreshing;
  }

  /** To be called when the engine turns out to be wrong, which is a bug or a database that was restored. */
  distrust(entity: Entity, details: Record<string, unknown>): void {
    this.events.emit('filter_index_wrong', { entity, ...details });
    this.followed.get(entity)!.distrustedUntilMs = performance.now() + distrustedMs;
    this.lose(entity);
  }

  private async pass(maintenance: EngineMaintenance): Promise<void> {
    await Promise.all(
      indexedEntities.map(async (entity) => {
        try {
          await maintenance.maintain(entity, this.current(entity));
          await this.catchUp(entity);
        } catch (error) {
          // DataStore has reported it already; the next pass tries again.
          if (!(error instanceof ServiceError)) throw error;
        }
      }),
    );
  }

  private async refresh(entity: Entity, followed: Followed): Promise<void> {
    const { engine } = this.maintenance!;
    const before = followed.changed;
    const since = engine.version(entity);
    if (since === undefined || performance.now() < followed.distrustedUntilMs) {
      followed.changed = undefined;
      return;
    }
    const changed = before ?? new ChangedRows(since);
    const mark = before ? followed.mark : null;
    const changes = await this.changes.since(entity, changed.version, changedRowsMax - changed.count, mark);
    if (before && changes.version !== before.version) followed.writtenAtMs = performance.now();
    this.note(followed, since, changes.version);
    // Another one was distrusted meanwhile.
    if (followed.changed !== before) return;
    if (changes.outcome === 'known') {
      if (changes.version !== changed.version) changed.apply(changes.version, changes.rows);
      // The engine may have got newer data.
      const now = engine.version(entity);
      if (now !== undefined && now > changed.since && now <= changed.version) changed.forget(now);
      followed.changed = now === undefined ? undefined : changed;
      followed.mark = changes.mark;
      return;
    }
    if (before) this.events.emit('filter_index_lost', { entity, version: String(changes.version) });
    this.lose(entity);
  }

  private note(followed: Followed, engineVersion: bigint, version: bigint): void {
    const atMs = performance.now();
    const found = followed.found.filter((each) => each.version > engineVersion);
    const last = found.at(-1);
    const isNew = version > engineVersion && (last === undefined || atMs - last.atMs >= foundIntervalMs);
    if (isNew && version !== last?.version && found.length < foundMax) found.push({ version, atMs });
    followed.found = found;
  }

  private lose(entity: Entity): void {
    this.followed.get(entity)!.changed = undefined;
    // The next pass begins what makes the engine right again. One that began at once would find the same while an index
    // in OpenSearch is built.
    this.maintenance?.discard(entity);
  }
}
