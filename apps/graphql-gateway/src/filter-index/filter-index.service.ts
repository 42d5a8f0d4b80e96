// Keeps the index of the companies. It builds the index in the background, applies the changes of the data, and
// rebuilds the index when they are too many. If it does not fit into its memory limit it is dropped. Nothing waits for
// it: without an index of the current data version, PostgreSQL answers.
import { Injectable } from '@nestjs/common';
import { BackgroundWork, connectionOptions, type Work } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { BitsetIndex } from './bitset-index.js';
import { buildIndex } from './build-index.js';
import { CompanyChangesStore } from './company-changes.store.js';
import {
  buildTimeoutMs,
  changedRowsMax,
  changedRowsToRebuild,
  retryAfterMs,
  retryTooLargeAfterMs,
} from './filter-index-limits.js';
import { companyColumns } from './indexed-columns.js';
import type { BuiltIndex } from './read-index.js';
import { VersionedIndex } from './versioned-index.js';

@Injectable()
export class FilterIndexService {
  private index: VersionedIndex | undefined;
  private built: Pick<BuiltIndex, 'bytes' | 'rowCount'> | undefined;
  /** The data changed in a way that requires a new build. */
  private isLost = false;
  private refreshing: Promise<void> | undefined;
  private building: Promise<void> | undefined;
  private buildNotBeforeMs = 0;
  private readonly loop: Work | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly changes: CompanyChangesStore,
    private readonly events: AppEvents,
    private readonly background: BackgroundWork,
  ) {
    if (!config.FILTER_INDEX) return;
    this.loop = background.every({
      name: 'filter index',
      intervalMs: config.FILTER_INDEX_REFRESH_MS,
      run: () => this.pass(),
    });
    events.gauge('filter_index_ready', 'Whether the index in memory can answer (1) or PostgreSQL has to (0)', () =>
      this.current() ? 1 : 0,
    );
    events.gauge('filter_index_bytes', 'Memory of the index, bytes', () => this.built?.bytes ?? 0);
    events.gauge('filter_index_rows', 'Rows in the index as it was built', () => this.built?.rowCount ?? 0);
    events.gauge(
      'filter_index_changed_rows',
      'Rows that changed since the index was built',
      () => this.index?.changedCount ?? 0,
    );
    events.gauge('filter_index_version', 'Data version that the index answers for', () =>
      Number(this.index?.version ?? 0),
    );
  }

  /** The index, unless there is none or it needs a new build. It may be behind: see `catchUp`. */
  current(): VersionedIndex | undefined {
    return this.isLost ? undefined : this.index;
  }

  /** Brings the index to the current data version, or to that of a refresh under way. The loop handles failures. */
  catchUp(): Promise<void> {
    this.refreshing ??= this.background.track(this.refresh()).finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  /** To be called when the index turns out to be wrong, which is a bug: it is not used again. */
  distrust(details: Record<string, unknown>): void {
    this.events.emit('filter_index_wrong', details);
    this.isLost = true;
    this.loop?.wake();
  }

  private async pass(): Promise<void> {
    if (this.index && !this.isLost) await this.catchUp().catch(ignoreKnownFailure);
    const isWanted = !this.index || this.isLost || this.index.changedCount > changedRowsToRebuild;
    if (isWanted && !this.building && performance.now() >= this.buildNotBeforeMs) {
      // Not awaited: until it is done the old index keeps following the changes.
      this.building = this.background.track(this.build()).finally(() => (this.building = undefined));
    }
  }

  private async refresh(): Promise<void> {
    const { index } = this;
    if (!index) return;
    const changes = await this.changes.since(index.version, changedRowsMax - index.changedCount);
    if (this.index !== index) return;
    if (changes.outcome === 'known') {
      if (changes.version !== index.version) index.apply(changes.version, changes.rows);
      return;
    }
    if (!this.isLost) this.events.emit('filter_index_lost', { version: String(changes.version) });
    this.isLost = true;
    this.loop?.wake();
  }

  private async build(): Promise<void> {
    const startedMs = performance.now();
    const bytesMax = this.config.FILTER_INDEX_MEMORY_MAX_MB * 2 ** 20;
    let result = await this.run(bytesMax - (this.built?.bytes ?? 0));
    if (result.outcome === 'too_large' && this.built) {
      // The old and the new index do not fit together: PostgreSQL answers until the new one is there.
      this.forget();
      result = await this.run(bytesMax);
    }
    const seconds = (performance.now() - startedMs) / 1000;
    if (result.outcome === 'stopped') return;
    if (result.outcome === 'built') {
      const { parts, version, rowCount, bytes } = result.built;
      this.index = new VersionedIndex(new BitsetIndex(parts), BigInt(version));
      this.built = { rowCount, bytes };
      this.isLost = false;
      // If writes are faster than every build, builds must not keep the database busy for nothing.
      this.buildNotBeforeMs = performance.now() + 2 * 1000 * seconds;
      this.events.emit('filter_index_built', { seconds, rows: rowCount, bytes, version });
      this.loop?.wake();
      return;
    }
    const isTooLarge = result.outcome === 'too_large';
    if (isTooLarge) this.forget();
    this.buildNotBeforeMs = performance.now() + (isTooLarge ? retryTooLargeAfterMs : retryAfterMs);
    this.events.emit('filter_index_failed', {
      reason: result.outcome,
      ...(result.outcome === 'failed'
        ? { message: result.message }
        : {
            message: `the index needs more than FILTER_INDEX_MEMORY_MAX_MB = ${this.config.FILTER_INDEX_MEMORY_MAX_MB}`,
          }),
    });
  }

  private run(bytesMax: number) {
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
    return buildIndex({ connection, columns: companyColumns, bytesMax }, this.background.stopping);
  }

  private forget(): void {
    this.index = undefined;
    this.built = undefined;
    this.isLost = false;
  }
}

/** DataStore has reported the failure already; the next pass tries again. */
function ignoreKnownFailure(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}
