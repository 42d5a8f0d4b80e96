// The engine on a cluster of OpenSearch. It sends one request with one to four searches. It trusts them only if all
// saw the marks of every shard, all changes that the caller does not mask, and no others. A search that fails leaves
// its own query unanswered. Only a poll, which is quick, or a lost connection finds that the cluster is away. Then
// every query is 'away' at once, those under way included, until a poll finds it back.
import type { Client } from '@opensearch-project/opensearch';
import { sortTextCharsMax } from '@tradewind/filters';
import {
  type AnswerableQuery,
  type Entity,
  type FilterAnswer,
  FilterEngine,
  type FilterQuery,
  type PersonQuery,
  type Unanswered,
} from '../filter-engine.port.js';
import { beginsWithId, isSmallEnough, type Search, searchesOf } from './page-query.js';
import { readColumns } from '../read-columns.js';
import { aliasOf, fieldsOf, least, marks, type SeenVersions, seenVersions, sourcesOf } from './search-index.js';
import { sortedColumns } from '../sorted-columns.js';

export interface OpenSearchEngineOptions {
  /** Without retries, and with long numerals: ids may be larger than 2^53. */
  client: Client;
  /** Of the names of all indexes. */
  prefix: string;
  /** Longest wait for one search, milliseconds. */
  timeoutMs: number;
  /** Longest wait for a poll, milliseconds: so soon a cluster that hangs is found, while searches may take longer. */
  pollTimeoutMs: number;
  /** Whether the database sorts texts by their bytes, as OpenSearch does. */
  sortsTextsByBytes: () => boolean;
}

/** More would take longer than a search. */
const exceptMax = 20_000;

/** Searches under way at once: they take a quarter of a second together. More would only wait in the cluster. */
const searchesMax = 64;

// Each copy of a shard is refreshed every second on its own, so the next search may see an older version than the last
// one. After this time every copy has caught up.
const settledMs = 5_000;

/** The page of 10,000 hits that an index gives by default, without marks. */
const askedMax = 9_000;

/**
 * The index is in the order of ids, so a search for the last ones would read all that match. It looks among the last
 * sixteenth of the ids first. A filter that finds fewer there matches few records, which are read soon.
 */
const idParts = 16n;

interface Hit {
  sort: unknown[];
}

interface SearchResponse {
  error?: { type?: string };
  /** Of HTTP. */
  status?: number;
  timed_out?: boolean;
  _shards?: { total: number; failed: number; successful: number };
  hits?: { total?: { value: number }; hits?: Hit[] };
  aggregations?: { last?: { value_as_string: string } };
}

/**
 * What is read of a response. The rest is longer than this, above all the name of the index in each hit. The value of
 * an aggregation is a floating-point number, which the parser of long integers refuses.
 */
const readPaths = [
  ...['error', 'status', 'timed_out', '_shards', 'hits.total', 'hits.hits.sort'],
  'aggregations.last.value_as_string',
];

/** Searches that were sent in one request. */
interface Sent {
  answered: Promise<SearchResponse[]>;
  abort: () => void;
}

interface Held {
  shards: number;
  /** What polls saw, oldest first: the first one is settled. */
  seen: { atMs: number; from: bigint }[];
  /** About the ids of the first record and of the last one. */
  ids: { first: bigint; last: bigint };
}

export class OpenSearchEngine extends FilterEngine {
  readonly name = 'opensearch';
  override readonly isOutside = true;
  private readonly held = new Map<Entity, Held>();
  private readonly away = new Set<Entity>();
  /** With the entity of each. */
  private readonly underWay = new Map<Sent, Entity>();
  private lastAnsweredMs = -Infinity;

  constructor(private readonly options: OpenSearchEngineOptions) {
    super();
  }

  override canAnswer({ filter, person, sort, after, limit }: AnswerableQuery): boolean {
    // An unknown field would match no record. Of its person, a contact's document has no id.
    const isKnown = (column: string) =>
      column === 'id' || fieldsOf(filter.entity).some((each) => each.column === column);
    const isOfPerson = (column: string) => fieldsOf('person').some((each) => each.column === column);
    if (!readColumns(filter).every(isKnown)) return false;
    if (person && !(filter.entity === 'contact' && readColumns(person.filter).every(isOfPerson))) return false;
    const sorted = sortedColumns[filter.entity];
    const isSortable = ({ column, type }: FilterQuery['sort'][number]) =>
      column === 'id' ||
      (sorted.some((each) => each.column === column) && (type !== 'text' || this.options.sortsTextsByBytes()));
    // A window of 10,000 records is the default of the cluster.
    if (limit > 5_000 || !sort.every(isSortable)) return false;
    return !after?.some((value) => isCut(value)) && isSmallEnough({ filter, ...(person && { person }) });
  }

  override version(entity: Entity): bigint | undefined {
    return this.held.get(entity)?.seen[0]?.from;
  }

  /** Whether the last poll found the index of the entity complete. */
  isReady(entity: Entity): boolean {
    return this.held.has(entity) && !this.away.has(entity);
  }

  override async search(query: FilterQuery): Promise<FilterAnswer | Unanswered> {
    const idsFrom = this.idsFrom(query);
    const answer = await this.searchOnce(query, idsFrom);
    if (idsFrom === undefined || typeof answer === 'string') return answer;
    const { ids, count } = answer;
    if (ids.length === query.limit || (query.after === null && ids.length === count)) return answer;
    const whole = await this.searchOnce({ ...query, isCounted: false });
    if (typeof whole === 'string') return whole;
    // Both are exact for `upTo`.
    return { ...whole, version: least([answer.version, whole.version]), ...(count !== undefined && { count }) };
  }

  /** Where the first search for a page begins that has the last ids first; undefined for other pages. */
  private idsFrom({ filter, sort, after }: FilterQuery): bigint | undefined {
    const held = this.held.get(filter.entity);
    if (!held || !beginsWithId(sort, 'desc')) return undefined;
    const { first, last } = held.ids;
    return (after ? BigInt(after[0]!) : last) - (last - first) / idParts;
  }

  private async searchOnce(query: FilterQuery, idsFrom?: bigint): Promise<FilterAnswer | Unanswered> {
    const { filter, person, limit, isCounted } = query;
    const { entity } = filter;
    const entities: readonly Entity[] = person && person.asked.length > 0 ? [entity, 'person'] : [entity];
    if (entities.some((each) => this.away.has(each))) return 'away';
    if (!entities.every((each) => this.held.has(each))) return 'not_ready';
    if (query.except.length + (person?.except.length ?? 0) > exceptMax) return 'behind';
    if (person && person.asked.length > askedMax) return 'behind';
    if (this.underWay.size >= searchesMax) return 'busy';
    const shardsOf = (of: Entity) => this.held.get(of)!.shards;
    const { page, counts, persons } = searchesOf(query, shardsOf, idsFrom);
    const read = await this.send(entity, [page, ...counts, ...(persons ? [persons] : [])]);
    if (typeof read === 'string') return read;
    for (const response of read) {
      if (response.seen && response.shards === this.held.get(response.entity)?.shards) continue;
      // The index was lost or replaced; the next poll says which.
      this.held.delete(response.entity);
      return 'not_ready';
    }
    const seen = read.map((response) => ({ of: response.entity, ...response.seen! }));
    if (!seen.every((each) => isExact(each, query))) return 'behind';
    const found = read[0]!;
    // Texts that were cut may be in the wrong order.
    if (found.records.some(({ sort }) => sort.some(isCut))) return 'behind';
    return {
      ids: found.records.slice(0, limit).map(idOf),
      ...(isCounted && { count: countOf(counts.length > 0 ? read.slice(1, 1 + counts.length) : [found]) }),
      version: least(seen.filter(({ of }) => of === entity).map(({ from }) => from[0]!)),
      ...(person && { persons: personsOf(person, persons && read.at(-1)) }),
    };
  }

  /**
   * Finds out what the cluster holds of the entity; to be called about every second. A cluster that is too busy for a
   * poll but answers searches is not away; what it held before holds on.
   * @throws what keeps the cluster from answering; then the engine is away
   */
  async poll(entity: Entity): Promise<void> {
    const own = { entity, body: pollBody(marks(entity), marksMax) };
    const first = { entity, body: pollBody({ range: { id: { gt: 0 } } }, 1) };
    const last = { entity, body: { size: 0, aggs: { last: { max: { field: 'id', format: '0' } } } } };
    const startMs = performance.now();
    let responses: SearchResponse[];
    try {
      responses = await this.ask([own, first, last], this.options.pollTimeoutMs).answered;
      const failed = responses.find((each) => each.error && !isMissing(each));
      if (failed) throw new Error(JSON.stringify(failed.error));
    } catch (error) {
      if (isTimeout(error) && this.lastAnsweredMs > startMs && !this.away.has(entity)) return;
      this.away.add(entity);
      for (const [sent, of] of this.underWay) if (of === entity) sent.abort();
      throw error;
    }
    const { seen, shards } = this.read(entity, responses[0]!);
    if (!seen) {
      this.held.delete(entity);
      this.away.delete(entity);
      return;
    }
    const nowMs = performance.now();
    const before = this.held.get(entity)?.seen ?? [];
    // A version below the settled one is an index that was restored: what was seen before means nothing.
    const [from] = seen.from as [bigint];
    const isRestored = before.length > 0 && from < before[0]!.from;
    const kept = isRestored ? [] : before.filter((each) => each.from <= from);
    const all = [...kept, { atMs: nowMs, from }];
    const settled = all.findLastIndex(({ atMs }) => atMs <= nowMs - settledMs);
    const ids = {
      first: this.read(entity, responses[1]!).records.map(idOf)[0] ?? 0n,
      last: BigInt(responses[2]!.aggregations?.last?.value_as_string ?? 0),
    };
    this.held.set(entity, { shards, seen: all.slice(Math.max(settled, 0)), ids });
    this.away.delete(entity);
  }

  private async send(entity: Entity, searches: readonly Search[]): Promise<ReadResponse[] | Unanswered> {
    let responses: SearchResponse[];
    const sent = this.ask(searches, this.options.timeoutMs);
    this.underWay.set(sent, entity);
    try {
      responses = await sent.answered;
    } catch (error) {
      return this.unansweredAfter(error, entity);
    } finally {
      this.underWay.delete(sent);
    }
    this.lastAnsweredMs = performance.now();
    const [unanswered] = responses.flatMap((response) => unansweredOf(response) ?? []);
    return unanswered ?? responses.map((response, place) => this.read(searches[place]!.entity, response));
  }

  /** @throws what no other query has to do with */
  private unansweredAfter(error: unknown, entity: Entity): Unanswered {
    const { statusCode } = error as { statusCode?: number };
    // The client closed the connection, and the cluster stops the search. If it hangs, the next poll finds that out.
    if (isTimeout(error)) return 'too_costly';
    if (statusCode === 429) return 'busy';
    if (statusCode !== undefined && statusCode < 500) throw error;
    // The poll reports the reason. A proxy before the cluster may answer for it.
    if (statusCode === undefined) this.away.add(entity);
    return 'away';
  }

  /** A search alone takes the cluster less when it is no list of searches. */
  private ask(searches: readonly Search[], timeoutMs: number): Sent {
    const { client, prefix } = this.options;
    const options = { requestTimeout: timeoutMs, maxRetries: 0 };
    const targetOf = ({ entity }: Search) => ({ index: aliasOf(prefix, entity), allow_partial_search_results: false });
    const [only] = searches;
    if (only && searches.length === 1) {
      const request = { ...targetOf(only), filter_path: readPaths, body: only.body };
      const sent = client.search(request, { ...options, ignore: [404] });
      return {
        answered: sent.then(({ body }) => [body as unknown as SearchResponse]),
        abort: () => sent.abort(),
      };
    }
    const request = {
      filter_path: readPaths.map((path) => `responses.${path}`),
      body: searches.flatMap((each) => [targetOf(each), each.body]),
    };
    const sent = client.msearch(request, options);
    return {
      answered: sent.then(({ body }) => (body as unknown as { responses: SearchResponse[] }).responses),
      abort: () => sent.abort(),
    };
  }

  private read(entity: Entity, { error, timed_out, _shards, hits }: SearchResponse): ReadResponse {
    const isWhole = !error && timed_out === false && _shards?.failed === 0 && _shards.successful === _shards.total;
    if (!isWhole) return { entity, seen: undefined, shards: 0, records: [], total: 0 };
    const all = hits?.hits ?? [];
    const markIds = all.map(idOf).filter((id) => id < 0n);
    return {
      entity,
      seen: seenVersions(entity, markIds, _shards.total),
      shards: _shards.total,
      records: all.filter((hit) => idOf(hit) > 0n),
      total: Number(hits?.total?.value ?? 0) - markIds.length,
    };
  }
}

const isTimeout = (error: unknown): boolean => (error as { name?: string }).name === 'TimeoutError';

/** Enough for any number of shards that makes sense; the answer says how many there are. */
const marksMax = 2_000;

function pollBody(query: object, size: number): object {
  return { query, size, sort: ['id'], track_total_hits: false, _source: false, stored_fields: '_none_' };
}

/** Of all, less those left out. */
function countOf([all, leftOut]: readonly ReadResponse[]): number {
  return all!.total - (leftOut?.total ?? 0);
}

interface ReadResponse {
  entity: Entity;
  /** Undefined unless every shard answered with its marks. */
  seen: SeenVersions | undefined;
  shards: number;
  records: Hit[];
  total: number;
}

/**
 * Whether what a search saw is exact for what the caller masks: it lacks no change that the caller does not mask, and
 * has none that the caller does not know.
 */
function isExact(
  { of, from, to }: SeenVersions & { of: Entity },
  { filter, person, since, upTo }: FilterQuery,
): boolean {
  return sourcesOf(of).every((source, place) => {
    const known = source === filter.entity ? { since, upTo } : person;
    // What contacts have of their persons is read only by a filter on these.
    return !known || (from[place]! >= known.since && to[place]! <= known.upTo);
  });
}

/** The persons that the caller asks for and that satisfy its filter, those that changed among them. */
function personsOf({ asked, matching }: PersonQuery, found: ReadResponse | undefined): ReadonlySet<bigint> {
  const known = new Set(asked);
  return new Set([...matching.filter((id) => known.has(id)), ...(found?.records ?? []).map(idOf)]);
}

/** The last key of every order is the id. */
function idOf({ sort }: Hit): bigint {
  return BigInt(sort.at(-1) as number | bigint);
}

const isCut = (value: unknown): boolean => typeof value === 'string' && value.length >= sortTextCharsMax;

/**
 * Why one search of a request has no answer, which says nothing about others; undefined when it has one.
 * @throws for a search that the cluster does not understand
 */
function unansweredOf(response: SearchResponse): Unanswered | undefined {
  const { error, status, timed_out, _shards } = response;
  if (isMissing(response)) return undefined;
  if (!error) return timed_out || (_shards?.failed ?? 0) > 0 ? 'too_costly' : undefined;
  // Too many searches, or not enough memory for this one.
  if (status === 429) return 'busy';
  // A shard is not there, or lost its node.
  if (status === undefined || status >= 500) return 'away';
  throw new Error(JSON.stringify(error));
}

/** No alias or no index: nothing was built, or it was lost. */
function isMissing({ error }: SearchResponse): boolean {
  return error?.type === 'index_not_found_exception';
}
