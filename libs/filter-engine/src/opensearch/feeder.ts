// Feeds the index of one entity from PostgreSQL: builds it, and follows the changes. Any number of processes may run
// it. Locks in the database let one of them write at a time. The versions of documents and marks keep the index right
// even if a lock is lost.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@opensearch-project/opensearch';
import type pg from 'pg';
import type { Entity } from '../filter-engine.port.js';
import {
  changedDocuments,
  changedIds,
  changesOfSources,
  changesSince,
  digestsBetween,
  documentsOf,
  estimatedCount,
  type IdRange,
  type KnownChanges,
  nextDocuments,
  versionsNow,
} from './changed-documents.js';
import { digestsInIndex } from './digests-in-index.js';
import { allRanges, sampledRanges } from './id-ranges.js';
import {
  aliasOf,
  buildsIndexOf,
  indexBody,
  refreshInterval,
  schemaOf,
  sourcesOf,
  type Versions,
} from './search-index.js';
import { SearchIndexWriter, writeAliasOf } from './search-index-writer.js';

export interface FeederOptions {
  /** One connection to the data tables; locks are held on it. */
  db: pg.ClientBase;
  client: Client;
  /** Of the names of all indexes. */
  prefix: string;
  entity: Entity;
  shards: number;
  replicas: number;
}

export interface BuildProgress {
  /** Records written so far, and about how many there are. */
  records: number;
  total: number;
}

export interface CheckOutcome {
  /** Records of PostgreSQL that were compared. */
  compared: number;
  /** Ids that differed: other values, missing in the index, or there alone. They are right now. */
  wrongIds: readonly string[];
}

export type PassOutcome =
  /**
   * The index has all changes of its own table up to this version; all there were when the pass began, unless it
   * `hasMore`. The same holds for the persons of contacts.
   */
  | { outcome: 'fed'; version: bigint; records: number; hasMore: boolean }
  /** Another process writes at the moment. */
  | { outcome: 'busy' }
  /**
   * There is no index, it lost its marks or has another schema, or the list of changes does not reach back to its
   * version.
   */
  | { outcome: 'build_needed' };

type Fed =
  | { outcome: 'fed'; versions: Versions; records: number; hasMore: boolean; writer: SearchIndexWriter }
  | { outcome: 'build_needed' };

export type FollowEvent =
  /** This process feeds the index from now on. */
  | 'leading'
  /** It has written all changes that there were. */
  | 'up_to_date'
  /** Another process leads. */
  | 'waiting'
  /** The index is missing, or cannot be brought up to date. */
  | 'building';

/** There is no index to compare, or it cannot be brought up to date. */
export class IndexMissing extends Error {
  constructor(entity: Entity) {
    super(`The index of ${entity} has to be built first`);
  }
}

/** Searches that began on an index that was replaced have ended. */
const searchesEndMs = 5_000;

/** A pass takes seconds at most, but the cluster may be slow. */
const busyMsMax = 120_000;

const documentsPerRead = 5_000;

/** Namespaces of advisory locks, with the entity as the second key. */
const locks = { write: 717_201, build: 717_202, follow: 717_203 };

/** Where a build was when it ended early. */
interface BuildState {
  index: string;
  schema: string;
  /** Records up to this id are written. */
  scannedTo: string;
  /** How many these are. */
  records: number;
  /** Changes up to these are written, in the order of the sources. */
  versions: string[];
}

export class Feeder {
  private readonly alias: string;
  private writer: SearchIndexWriter | undefined;

  constructor(private readonly options: FeederOptions) {
    this.alias = aliasOf(options.prefix, options.entity);
  }

  /**
   * Writes what changed since the last pass.
   * @throws when PostgreSQL or OpenSearch fails; nothing is lost, and the next pass repeats it
   */
  async pass(): Promise<PassOutcome> {
    const fed = await this.locked(locks.write, () => this.feed());
    if (fed?.outcome !== 'fed') return fed ?? { outcome: 'busy' };
    return { outcome: 'fed', version: fed.versions[0]!, records: fed.records, hasMore: fed.hasMore };
  }

  /**
   * Leads until the signal: makes passes, one each `intervalMs`, or at once while one leaves changes over. Builds the
   * index when that is needed. While another process leads, it tries again each `intervalMs`.
   * @throws when PostgreSQL or OpenSearch fails; another feeder with a new connection goes on where this one ended
   */
  async follow(
    signal: AbortSignal,
    options: { intervalMs: number; onEvent?: (event: FollowEvent) => void },
  ): Promise<void> {
    while (!signal.aborted) {
      const led = await this.locked(locks.follow, () => this.lead(signal, options));
      if (led === undefined) options.onEvent?.('waiting');
      await delay(options.intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async lead(
    signal: AbortSignal,
    { intervalMs, onEvent = () => undefined }: { intervalMs: number; onEvent?: (event: FollowEvent) => void },
  ): Promise<true> {
    onEvent('leading');
    while (!signal.aborted) {
      const pass = await this.pass();
      if (pass.outcome === 'fed' && pass.hasMore) continue;
      if (pass.outcome === 'fed') onEvent('up_to_date');
      if (pass.outcome === 'build_needed') {
        onEvent('building');
        if (await this.build(signal)) continue;
      }
      await delay(intervalMs, undefined, { signal }).catch(() => undefined);
    }
    return true;
  }

  /**
   * Builds the index beside the one in use, goes on where an earlier build ended, and puts the new one in its place.
   * @returns whether it was built; false while another process builds, and after the signal
   */
  async build(signal: AbortSignal, onProgress: (progress: BuildProgress) => void = () => undefined): Promise<boolean> {
    return (await this.locked(locks.build, () => this.buildAlone(signal, onProgress))) ?? false;
  }

  /**
   * Compares records with PostgreSQL, all or a random sample of about this many, and writes those that differ.
   * @throws IndexMissing
   */
  async check(
    sample: number | undefined,
    signal: AbortSignal,
    onProgress: (outcome: CheckOutcome) => void = () => undefined,
  ): Promise<CheckOutcome> {
    const { db, entity } = this.options;
    const ranges = sample === undefined ? allRanges(db, entity) : sampledRanges(db, entity, sample);
    let outcome: CheckOutcome = { compared: 0, wrongIds: [] };
    for await (const range of ranges) {
      if (signal.aborted) break;
      const found = await this.lockedSoon(locks.write, signal, () => this.repair(range));
      if (!found) break;
      outcome = { compared: outcome.compared + found.compared, wrongIds: [...outcome.wrongIds, ...found.wrongIds] };
      onProgress(outcome);
    }
    return outcome;
  }

  /** Records that change meanwhile are left out. */
  private async repair(range: IdRange): Promise<CheckOutcome> {
    const { client, db, entity } = this.options;
    // Behind the lock nobody else writes to the index, so it lacks exactly the changes since its version.
    const fed = await this.feed();
    if (fed.outcome !== 'fed') throw new IndexMissing(entity);
    const { versions, writer } = fed;
    const { index } = writer;
    await client.indices.refresh({ index });
    const [theirs, ours] = [await digestsInIndex(client, index, range), await digestsBetween(db, entity, range)];
    const differing = [...new Set([...ours.keys(), ...theirs.keys()])].filter((id) => ours.get(id) !== theirs.get(id));
    const changedSince = new Set<string>();
    const caughtUp = await this.eachChange(versions, async (changes) => {
      for await (const ids of changedIds(db, entity, changes)) for (const id of ids) changedSince.add(id);
    });
    if (!caughtUp) throw new IndexMissing(entity);
    const wrongIds = differing.filter((id) => !changedSince.has(id));
    if (wrongIds.length > 0) await writer.apply({ upTo: versions, ...(await documentsOf(db, entity, wrongIds)) });
    return { compared: ours.size, wrongIds };
  }

  private async feed(): Promise<Fed> {
    const { client, db, entity } = this.options;
    const index = await this.indexInUse();
    if (index === undefined) return { outcome: 'build_needed' };
    if (this.writer?.index !== index) this.writer = await SearchIndexWriter.open(client, index, entity);
    const { writer } = this;
    const written = await writer.writtenVersions();
    if (written === undefined) return { outcome: 'build_needed' };
    const all = await changesOfSources(db, entity, written);
    if (!all) return { outcome: 'build_needed' };
    const isNew = all.some(({ upTo }, place) => upTo > written[place]!);
    const records = isNew ? await this.apply(all, writer) : 0;
    const hasMore = all.some((changes) => changes.hasMore);
    return { outcome: 'fed', versions: all.map(({ upTo }) => upTo), records, hasMore, writer };
  }

  /** Writes the changes of all sources, and the marks that say so; returns how many records they are. */
  private async apply(all: readonly KnownChanges[], writer: SearchIndexWriter): Promise<number> {
    const { db, entity } = this.options;
    let records = 0;
    // What a build has written may be as new as that.
    await writer.mark(
      'to',
      all.map(({ version }) => version),
    );
    for (const changes of all)
      for await (const { versions, documents } of changedDocuments(db, entity, changes)) {
        await writer.mark('to', versions);
        await writer.write(documents, versions);
        records += documents.length;
      }
    await writer.mark(
      'from',
      all.map(({ upTo }) => upTo),
    );
    return records;
  }

  private async buildAlone(signal: AbortSignal, onProgress: (progress: BuildProgress) => void): Promise<boolean> {
    const { client, db, entity } = this.options;
    const total = await estimatedCount(db, entity);
    let state = (await this.resumable()) ?? (await this.begin());
    const writer = await SearchIndexWriter.open(client, state.index, entity);
    for (;;) {
      if (signal.aborted) return false;
      const next = await nextDocuments(db, entity, { after: BigInt(state.scannedTo), limit: documentsPerRead });
      await writer.write(next.documents, next.versions);
      const records = state.records + next.documents.length;
      onProgress({ records, total: Math.max(total, records) });
      const caughtUp = await this.catchUp(writer, state.versions.map(BigInt));
      if (caughtUp === undefined) {
        // The list of changes was cut: what was scanned before is no longer known to be right.
        await this.drop(state.index);
        return this.buildAlone(signal, onProgress);
      }
      const scannedTo = next.documents.at(-1)?.id ?? state.scannedTo;
      state = { ...state, versions: caughtUp.map(String), scannedTo, records };
      await this.keepState(state);
      if (next.documents.length < documentsPerRead) break;
    }
    return this.putInPlace(writer, state.versions.map(BigInt), signal);
  }

  /** Writes the changes since these versions; returns those reached, or undefined when the changes are not known. */
  private async catchUp(writer: SearchIndexWriter, since: Versions): Promise<Versions | undefined> {
    const { db, entity } = this.options;
    return this.eachChange(since, async (changes) => {
      for await (const { versions, documents } of changedDocuments(db, entity, changes))
        await writer.write(documents, versions);
    });
  }

  /** All changes of all sources since these versions, step by step; returns the versions reached. */
  private async eachChange(
    since: Versions,
    work: (changes: KnownChanges) => Promise<void>,
  ): Promise<Versions | undefined> {
    const { db, entity } = this.options;
    const reached: bigint[] = [];
    for (const [place, source] of sourcesOf(entity).entries()) {
      for (let version = since[place]!; ;) {
        const changes = await changesSince(db, source, version);
        if (changes.outcome === 'unknown') return undefined;
        await work(changes);
        version = changes.upTo;
        if (changes.hasMore) continue;
        reached.push(version);
        break;
      }
    }
    return reached;
  }

  private async putInPlace(writer: SearchIndexWriter, since: Versions, signal: AbortSignal): Promise<boolean> {
    const { client, db, entity, replicas } = this.options;
    const { index } = writer;
    await client.indices.putSettings({
      index,
      body: { index: { number_of_replicas: replicas, refresh_interval: refreshInterval } },
    });
    // No other process follows the changes between the last ones and the swap.
    const swapped = await this.lockedSoon(locks.write, signal, async () => {
      const all = await changesOfSources(db, entity, since);
      if (!all) throw new Error(`the changes of ${entity} since ${since.join()} are not known`);
      await this.apply(all, writer);
      await client.indices.refresh({ index });
      const before = await this.indexInUse();
      await client.indices.updateAliases({
        body: {
          actions: [
            { add: { index, alias: this.alias } },
            ...(before === undefined ? [] : [{ remove: { index: before, alias: this.alias } }]),
          ],
        },
      });
      await this.keepState(undefined);
      return { before };
    });
    if (swapped?.before !== undefined) {
      await delay(searchesEndMs, undefined, { signal }).catch(() => undefined);
      await this.drop(swapped.before);
    }
    return swapped !== undefined;
  }

  private async begin(): Promise<BuildState> {
    const { client, db, entity, shards } = this.options;
    const versions = await versionsNow(db, entity);
    // What a build left that ended before it kept its state, or before it dropped the index it replaced.
    const { body: all } = await client.indices.get({ index: `${this.alias}-*` }, { ignore: [404] });
    const inUse = await this.indexInUse();
    for (const left of Object.keys(all)) if (left !== inUse && this.isOwn(left)) await this.drop(left);
    const index = `${this.alias}-${new Date().toISOString().replace(/\D/g, '')}`;
    const body = indexBody(entity, { shards, replicas: 0 }) as { settings: object };
    await client.indices.create({
      index,
      body: {
        ...body,
        settings: { ...body.settings, refresh_interval: '-1' },
        aliases: { [writeAliasOf(index)]: {} },
      },
    });
    const state: BuildState = {
      index,
      schema: schemaOf(entity),
      scannedTo: '0',
      records: 0,
      versions: versions.map(String),
    };
    await this.keepState(state);
    return state;
  }

  /** Whether `begin` made it. Another prefix may begin like the alias: `x-company` and the alias `x-company`. */
  private isOwn(index: string): boolean {
    return index.startsWith(`${this.alias}-`) && /^\d{17}$/.test(index.slice(this.alias.length + 1));
  }

  /** The state of a build that can go on. */
  private async resumable(): Promise<BuildState | undefined> {
    const { client, db, entity, prefix } = this.options;
    const { body } = await client.get({ index: buildsIndexOf(prefix), id: entity }, { ignore: [404] });
    const state = (body as { _source?: BuildState })._source;
    if (!state?.index || state.schema !== schemaOf(entity)) return undefined;
    const exists = await client.indices.exists({ index: state.index });
    if (exists.statusCode === 404) return undefined;
    if (await changesOfSources(db, entity, state.versions.map(BigInt))) return state;
    await this.drop(state.index);
    return undefined;
  }

  private async keepState(state: BuildState | undefined): Promise<void> {
    const { client, entity, prefix } = this.options;
    await client.index({ index: buildsIndexOf(prefix), id: entity, body: state ?? {} });
  }

  private async drop(index: string): Promise<void> {
    await this.options.client.indices.delete({ index }, { ignore: [404] });
  }

  private async indexInUse(): Promise<string | undefined> {
    // Without the pattern it would ask about the indexes of others, too, for which its user has no rights.
    const named = { index: `${this.alias}-*`, name: this.alias };
    const { body, statusCode } = await this.options.client.indices.getAlias(named, { ignore: [404] });
    return statusCode === 404 ? undefined : Object.keys(body)[0];
  }

  /** Undefined after the signal. */
  private async lockedSoon<T extends object>(
    lock: number,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    for (const endMs = performance.now() + busyMsMax; performance.now() < endMs;) {
      if (signal.aborted) return undefined;
      const done = await this.locked(lock, work);
      if (done !== undefined) return done;
      await delay(50);
    }
    throw new Error(`another process keeps writing the index of ${this.options.entity}`);
  }

  /** Undefined while another process holds the lock. */
  private async locked<T>(lock: number, work: () => Promise<T>): Promise<T | undefined> {
    const { db, entity } = this.options;
    const values = [lock, entity];
    const { rows } = await db.query<{ is_mine: boolean }>(
      'select pg_try_advisory_lock($1, hashtext($2)) as is_mine',
      values,
    );
    if (!rows[0]!.is_mine) return undefined;
    try {
      return await work();
    } finally {
      await db.query('select pg_advisory_unlock($1, hashtext($2))', values).catch(() => undefined);
    }
  }
}
