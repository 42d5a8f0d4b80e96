// Answers from the filter engine where it can, and from PostgreSQL otherwise. The engine leaves out the rows that
// changed since its version; those are judged and sorted here. PostgreSQL reads the rows of the page by their ids, in
// one statement with the data version of its snapshot. If that is the version of the changes, then ids, count and rows
// belong to the same snapshot. The same holds for the persons of contacts.
// If the data has moved on since, the answer belongs to the earlier version. It is used on two conditions. The changes
// were read after the request came, so no caller can have seen a later version before it. And none of the rows has
// changed since.
// Who can write to an index outside of the process must not decide what a caller sees. So the whole filter, visibility
// included, is tested again on the rows of that statement.
import {
  type ChangedRows,
  type Entity,
  type FilterAnswer,
  type FilterEngine,
  type FilterQuery,
  firstInOrder,
  type IdentifiedRow,
  matchingIds,
  type PersonQuery,
  readColumnsSql,
  type ReadColumn,
  type Unanswered,
} from '@tradewind/filter-engine';
import { withinMs } from '@tradewind/service-kit';
import { versionOf } from '../connections/count-cache.js';
import { orderKeys, orderMeaning, pageColumns } from '../connections/page-order.js';
import type { PageRead, PageReader, PageRequest } from '../connections/page-reader.port.js';
import type { Row } from '../connections/record-source.js';
import type { FilterRecord, Integer } from '@tradewind/filters';
import type { DataStore, Statement } from '../data-store/data-store.js';
import type { AppEvents } from '../events.js';
import { catchUpMs } from './filter-engine-limits.js';
import type { FollowedChanges } from './followed-changes.js';

/** Why PostgreSQL answers instead. */
type Reason = Unanswered | 'filter' | 'failed';

export interface EnginePageReaderParts {
  engine: FilterEngine;
  postgres: PageReader;
  changes: FollowedChanges;
  dataStore: DataStore;
  events: AppEvents;
}

/** What changed since the versions of the engine. */
interface Changed {
  records: ChangedRows;
  /** Only for contacts with a filter on their person. */
  persons: ChangedRows | undefined;
}

/** Everything that belongs to one moment: changes may be applied while the engine answers. */
interface Attempt {
  query: FilterQuery;
  /** The changed records that satisfy the filter; of contacts, only those whose person does, too, are right. */
  matching: readonly IdentifiedRow[];
  /** That of the rows, if none of them has changed meanwhile. */
  version: string;
}

export class EnginePageReader implements PageReader {
  constructor(private readonly parts: EnginePageReaderParts) {}

  async read(request: PageRequest): Promise<PageRead> {
    const { engine, postgres, events } = this.parts;
    const { filter, person, sort, after, limit } = request;
    const canAnswer = engine.canAnswer({ filter, ...(person && { person }), sort: orderKeys(sort), after, limit });
    const page = canAnswer ? await this.fromEngine(request) : 'filter';
    if (typeof page === 'string') {
      events.emit('page_read', { source: 'postgres', reason: page });
      return postgres.read(request);
    }
    events.emit('page_read', { source: engine.name, reason: 'answered' });
    return page;
  }

  private async fromEngine(request: PageRequest): Promise<PageRead | Reason> {
    const { changes } = this.parts;
    const tables: readonly Entity[] = request.person ? [request.table, 'person'] : [request.table];
    // An attempt with what is known is in vain while somebody writes all the time.
    const isWritten = tables.some((table) => changes.isWritten(table));
    for (const isLast of [false, true]) {
      const isCaughtUp = (isWritten || isLast) && (await this.caughtUp(tables));
      const [records, persons] = tables.map((table) => changes.current(table));
      const isKnown = records && (persons || !request.person);
      const page = isKnown ? await this.attempt({ records, persons }, isCaughtUp, request) : 'not_ready';
      if (page !== 'behind' || isLast) return page;
    }
    return 'behind';
  }

  /** Whether the changes got to know all writes before this moment soon enough. */
  private async caughtUp(tables: readonly Entity[]): Promise<boolean> {
    const caughtUp = () => Promise.all(tables.map((table) => this.parts.changes.catchUpFromNow(table)));
    return withinMs(catchUpMs, caughtUp).then(
      () => true,
      () => false,
    );
  }

  /** `behind` also when the data has moved on since the version of the changes. */
  private async attempt(changed: Changed, isCaughtUp: boolean, request: PageRequest): Promise<PageRead | Reason> {
    const { engine, changes, dataStore, events } = this.parts;
    const { columns, sort, limit, isCounted, table } = request;
    const attempt = attemptOf(changed, request);
    if (attempt === 'too_costly') return attempt;
    const { query, version } = attempt;
    const answer = await engine.search(query).catch((error: unknown) => {
      events.emit('filter_engine_failed', { engine: engine.name, entity: table, err: error });
      return 'failed' as const;
    });
    if (typeof answer === 'string') return answer;
    const matching = withPersons(attempt, answer);
    const changedIds = firstInOrder(matching, query);
    const ids = [...answer.ids, ...changedIds];
    const tested = engine.isOutside ? testedColumns(request) : noColumns;
    const since = isCaughtUp ? query.upTo : undefined;
    const found = await dataStore.readRows(rowsStatement(request, ids, tested, since));
    if (found[0]!.at(-1) !== version) return 'behind';
    const read = pageColumns(columns, sort);
    const idAt = read.indexOf('id');
    // An empty page still has one row, with the version.
    const rows = found.filter((row) => row[idAt] !== null);
    const right = engine.isOutside ? rightRows(request, tested, rows) : rows;
    if (right === 'too_costly') return right;
    const rowOf = new Map(right.map((row) => [row[idAt], row]));
    if (rowOf.size < ids.length) {
      changes.distrust(table, { version, idCount: ids.length, rowCount: rowOf.size });
      return 'failed';
    }
    const inOrder =
      changedIds.length === 0
        ? ids
        : firstInOrder(recordsOf([...rowOf.values()], idAt, read), { ...query, after: null });
    const page = inOrder.slice(0, limit).map((id) => rowOf.get(String(id))!);
    if (!isCounted) return { rows: page };
    return { rows: page, count: { count: answer.count! + matching.length, version } };
  }
}

function attemptOf({ records, persons }: Changed, request: PageRequest): Attempt | 'too_costly' {
  const { filter, countKey, sort, after, limit, isCounted } = request;
  const ids = records.matching(filter);
  if (ids === 'too_costly') return ids;
  const matching = records.rowsOf(ids);
  let person: PersonQuery | undefined;
  if (request.person) {
    const matchingPersons = persons!.matching(request.person.filter);
    if (matchingPersons === 'too_costly') return matchingPersons;
    const asked = new Set(matching.map(personOf).filter((id) => id !== undefined));
    person = { ...request.person, ...masked(persons!), matching: matchingPersons, asked: [...asked] };
  }
  return {
    query: {
      filter,
      key: countKey,
      sort: orderKeys(sort),
      after,
      limit,
      isCounted,
      ...masked(records),
      ...(person && { person }),
    },
    matching,
    // In the order of the entities' names, as `versionOf` has it.
    version: person ? `${records.version}.${persons!.version}` : String(records.version),
  };
}

const masked = ({ since, version, ids }: ChangedRows) => ({ since, upTo: version, except: ids });

/** Of a changed contact. */
function personOf([, row]: IdentifiedRow): bigint | undefined {
  const id = row['person_id'] as Integer | null;
  return id === null ? undefined : BigInt(id);
}

function withPersons({ query, matching }: Attempt, { persons }: FilterAnswer): readonly IdentifiedRow[] {
  if (!query.person) return matching;
  return matching.filter((row) => {
    const id = personOf(row);
    return id !== undefined && persons!.has(id);
  });
}

/** The rows by their ids. `columns` are in the row from the place `from` on. */
function recordsOf(rows: readonly Row[], idAt: number, columns: readonly string[], from = 0): IdentifiedRow[] {
  return rows.map((row) => {
    const record: FilterRecord = Object.fromEntries(columns.map((column, at) => [column, row[from + at]]));
    return [BigInt(row[idAt] as string), record];
  });
}

/** What filters read of the rows, behind the columns of the page. */
interface TestedColumns {
  record: readonly ReadColumn[];
  /** Of the person of a contact; its id is the first. Empty without a filter on persons. */
  person: readonly ReadColumn[];
}

const noColumns: TestedColumns = { record: [], person: [] };

function testedColumns({ filter, person }: PageRequest): TestedColumns {
  return {
    record: readColumnsSql(filter, 't'),
    person: person ? [{ column: 'id', sql: 'r.id' }, ...readColumnsSql(person.filter, 'r')] : [],
  };
}

/** The rows that satisfy the filter, and whose person does; or that finding them is too much work for one query. */
function rightRows(
  request: PageRequest,
  { record, person }: TestedColumns,
  rows: readonly Row[],
): readonly Row[] | 'too_costly' {
  const page = pageColumns(request.columns, request.sort);
  const idAt = page.indexOf('id');
  const namesOf = (read: readonly ReadColumn[]) => read.map(({ column }) => column);
  let ids = matchingIds(recordsOf(rows, idAt, namesOf(record), page.length), request.filter);
  if (ids !== 'too_costly' && request.person) {
    const right = new Set(ids);
    const persons = recordsOf(rows, idAt, namesOf(person), page.length + record.length);
    const asked = persons.filter(([id, { id: personId }]) => right.has(id) && personId !== null);
    ids = matchingIds(asked, request.person.filter);
  }
  if (ids === 'too_costly') return ids;
  const right = new Set(ids);
  return rows.filter((row) => right.has(BigInt(row[idAt] as string)));
}

/** Longer lists of changed ids are not compared. */
const comparedIdsMax = 1_000;

/** SQL: whether every change after version $2 is known, and none is of the rows $1. */
const unchangedSql = (table: Entity): string =>
  `(select count(*) = (select version from data_version where entity = '${table}') - $2::bigint
      and coalesce(bool_and(coalesce(cardinality(ids) <= ${comparedIdsMax} and not ids && $1::bigint[], false)), true)
    from data_change where entity = '${table}' and version > $2::bigint)`;

/**
 * In no order, so that pages in every order share a text, which PostgreSQL has prepared. The last value of each row is
 * the version that the rows belong to: that of the data, or `since` if none of them has changed after it.
 */
function rowsStatement(request: PageRequest, ids: readonly bigint[], tested: TestedColumns, since?: bigint): Statement {
  const { table, person, columns, sort, countKey } = request;
  const read = pageColumns(columns, sort).map((column) => `t.${column}`);
  for (const { sql } of [...tested.record, ...tested.person]) read.push(sql);
  const persons = tested.person.length > 0 ? ' left join person r on r.id = t.person_id' : '';
  const rows = `select ${read.join(', ')} from ${table} t${persons} where t.id = any($1::bigint[])`;
  const now = versionOf({ table, alsoReads: person ? ['person'] : [] });
  // The versions of contacts and persons were read one after the other: both may never have been at the same time.
  const mayBeSince = since !== undefined && !person;
  const version = mayBeSince ? `case when ${unchangedSql(table)} then $2::bigint::text else ${now} end` : now;
  return {
    text: `select p.*, v.version as data_version from (select ${version} as version) v left join (${rows}) p on true`,
    values: [ids.map(String), ...(mayBeSince ? [String(since)] : [])],
    // It waits for a place like any other query of the caller.
    caller: { meaning: `rows ${table} ${countKey} ${JSON.stringify(orderMeaning(sort))}`, isExpectedSlow: false },
  };
}
