// Which records satisfy a filter, in which order, and how many. An engine knows ids; PostgreSQL has the rows.
import type { NormalisedFilter } from '@tradewind/filters';

export type Entity = NormalisedFilter['entity'];

/** One key of an order. Where the column is null, the record comes last in both directions. */
export interface SortKey {
  column: string;
  type: 'date' | 'bigint' | 'text' | 'timestamptz';
  direction: 'asc' | 'desc';
  isNullable: boolean;
}

/** The values of all sort keys of one record, as PostgreSQL writes them; null where the record has none. */
export type CursorPosition = readonly (string | null)[];

export interface FilterQuery {
  filter: NormalisedFilter;
  /** Equal for filters of equal meaning, as `canonicalKey` of libs/filters makes it. */
  key: string;
  /** All keys of the order. The last one is the id, so no two records are equal. Texts have the database's order. */
  sort: readonly SortKey[];
  /** The page begins behind this position, whether or not a record is there; null for the first page. */
  after: CursorPosition | null;
  /** Most ids wanted, at least 1. */
  limit: number;
  isCounted: boolean;
  /** The oldest version that the answer may have. */
  since: bigint;
  /** The newest version that the caller knows, at least `since`. */
  upTo: bigint;
  /**
   * Ids to leave out of page and count, ascending: all records that changed after `since`, up to `upTo`. The caller
   * judges them itself. It passes the same array while they are the same, so an engine may keep what it derives from
   * it.
   */
  except: readonly bigint[];
  /** Only for contacts: what their person must satisfy, too. */
  person?: PersonQuery;
}

/** A filter on the persons of contacts. Persons change, too, so their changes are passed as those of contacts are. */
export interface PersonQuery extends Pick<FilterQuery, 'filter' | 'key' | 'since' | 'upTo' | 'except'> {
  /** Of `except`, the persons that satisfy the filter, ascending. */
  matching: readonly bigint[];
  /** The persons of contacts in `except`, which the caller judges. */
  asked: readonly bigint[];
}

export type AnswerableQuery = Pick<FilterQuery, 'filter' | 'sort' | 'after' | 'limit'> & {
  person?: Pick<PersonQuery, 'filter'>;
};

export interface FilterAnswer {
  /** The first ids behind `after` that satisfy the filter and are not in `except`, in the order of `sort`. */
  ids: readonly bigint[];
  /** All ids that satisfy the filter and are not in `except`, whatever `after` says; present when `isCounted`. */
  count?: number;
  /**
   * The data version (`data_version` of the entity) that ids and count are exact for, from `since` to `upTo`. Records
   * that changed later, up to `upTo`, are all in `except`, so ids and count are exact for `upTo`, too.
   */
  version: bigint;
  /** Of `person.asked`, the persons that satisfy its filter at `person.upTo`; present when persons were asked for. */
  persons?: ReadonlySet<bigint>;
}

/**
 * Why an engine has no answer now. It holds no data yet, or only a version before `since` or one after `upTo`. It may
 * be out of reach, or have too much to do. Or the query is more work than one query may be.
 */
export type Unanswered = 'not_ready' | 'behind' | 'away' | 'busy' | 'too_costly';

/**
 * An index of all records by their filtered and sorted columns. Every engine gives the same answers for the same data,
 * however many calls run at once; PostgreSQL is the reference.
 *
 * - An answer is exact for the version that it names: never one before `since`, nor one after `upTo`.
 * - A query that fails leaves other queries alone.
 * - What an engine cannot answer it says before it does any work: `canAnswer` per query, `Unanswered` per moment.
 * - No query, however it is made, takes more than a stated amount of work and memory: then it is `too_costly`.
 * - Deleted records are among `except`, as are new ones.
 * - Contacts with a filter on their person are exact for `upTo` of both: persons that changed are among its `except`.
 *
 * The caller does what all engines share. It follows the changes of the data (`ChangedRows`), passes them as `except`
 * and adds those that match. Then it reads the rows of the page by id and the data version in one statement. It uses
 * the answer only if that is the version of its changes. Otherwise it tries once more, then asks PostgreSQL. If others
 * can write to the index, the caller tests the filter again on these rows.
 */
export abstract class FilterEngine {
  /** For metrics and logs: the value of FILTER_ENGINE. */
  abstract readonly name: string;

  /** Whether the index is outside of the process, where others might change it. */
  readonly isOutside: boolean = false;

  /**
   * Whether the engine can answer such a query: entity, operators, sort keys, number and size of the values. It
   * depends on the query alone, and costs microseconds.
   */
  abstract canAnswer(query: AnswerableQuery): boolean;

  /**
   * The version of the entity that an answer would have now, at least; undefined while the engine has no data of it.
   * Changes up to this version need not be passed as `except`. It never decreases, unless the data was restored.
   */
  abstract version(entity: Entity): bigint | undefined;

  /**
   * Only for queries that `canAnswer`.
   * @throws for a fault of the engine, never for its absence
   */
  abstract search(query: FilterQuery): Promise<FilterAnswer | Unanswered>;
}
