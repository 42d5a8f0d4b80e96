// Answers from the filter engine where it can, and from PostgreSQL otherwise. The engine leaves out the rows that
// changed since its version; those are judged and sorted here. PostgreSQL reads the rows of the page by their ids, in
// one statement with the data version of its snapshot. The answer is used only if that is the version of the changes:
// then ids, count and rows belong to the same snapshot. The same holds for the persons of contacts. Who can write to an
// index outside of the process must not decide what a caller sees. So that statement tests the whole filter again,
// visibility included.
import {
  type ChangedRows,
  type Entity,
  type FilterAnswer,
  type FilterEngine,
  type FilterQuery,
  firstInOrder,
  type IdentifiedRow,
  type PersonQuery,
  type Unanswered,
} from '@tradewind/filter-engine';
import { withinMs } from '@tradewind/service-kit';
import { versionOf } from '../connections/count-cache.js';
import { orderKeys, orderMeaning, pageColumns } from '../connections/page-order.js';
import { pageStatement } from '../connections/page-query.js';
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
  /** That of PostgreSQL, if nothing has changed meanwhile. */
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
    // The second attempt is made after the changes have caught up with the latest writes.
    for (const isLast of [false, true]) {
      const [records, persons] = tables.map((table) => changes.current(table));
      const isKnown = records && (persons || !request.person);
      const page = isKnown ? await this.attempt({ records, persons }, request) : 'not_ready';
      if (page !== 'behind' || isLast) return page;
      const caughtUp = () => Promise.all(tables.map((table) => changes.catchUp(table)));
      await withinMs(catchUpMs, caughtUp).catch(() => undefined);
    }
    return 'behind';
  }

  /** `behind` also when the data has moved on since the version of the changes. */
  private async attempt(changed: Changed, request: PageRequest): Promise<PageRead | Reason> {
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
    const statement = engine.isOutside ? testedRowsStatement(request, ids) : rowsStatement(request, ids);
    const found = await dataStore.readRows(statement);
    if (found[0]!.at(-1) !== version) return 'behind';
    const read = pageColumns(columns, sort);
    const idAt = read.indexOf('id');
    // An empty page still has one row, with the version.
    const rowOf = new Map(found.filter((row) => row[idAt] !== null).map((row) => [row[idAt], row]));
    if (rowOf.size < ids.length) {
      changes.distrust(table, { version, idCount: ids.length, rowCount: rowOf.size });
      return 'failed';
    }
    const inOrder =
      changedIds.length === 0 ? ids : firstInOrder(recordsOf(rowOf.values(), read), { ...query, after: null });
    const rows = inOrder.slice(0, limit).map((id) => rowOf.get(String(id))!);
    if (!isCounted) return { rows };
    return { rows, count: { count: answer.count! + matching.length, version } };
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

/** What `firstInOrder` compares. */
function recordsOf(rows: Iterable<Row>, read: readonly string[]): IdentifiedRow[] {
  return Array.from(rows, (row) => {
    const record: FilterRecord = Object.fromEntries(read.map((column, at) => [column, row[at]]));
    return [BigInt(record['id'] as string), record];
  });
}

/** In no order, so that pages in every order share a text, which PostgreSQL has prepared. */
function rowsStatement(request: PageRequest, ids: readonly bigint[]): Statement {
  const read = pageColumns(request.columns, request.sort).map((column) => `t.${column}`);
  const text = `select ${read.join(', ')} from ${request.table} t where t.id = any($1::bigint[])`;
  return withVersion(request, { text, values: [ids.map(String)] });
}

/** All of these rows that satisfy the filter, so that a missing one shows. Its text depends on the filter. */
function testedRowsStatement(request: PageRequest, ids: readonly bigint[]): Statement {
  const { sql, params } = request.where;
  const where = { sql, params: [...params, ids.map(String)] };
  // OFFSET 0 keeps the indexes of the filter out of the plan: the rows are found by their ids.
  const ofIds = `where id = any($${where.params.length}::bigint[])`;
  const table = `(select * from ${request.table} ${ofIds} offset 0)`;
  const limit = Math.max(ids.length, 1);
  const page = pageStatement({ ...request, table, where, limit, form: 'ordered' });
  if (!request.person) return withVersion(request, page);
  // In place of the table for the condition on persons, which may hold for millions of them.
  const persons = `select * from person where id = any(array(select person_id from contact ${ofIds}))`;
  return withVersion(request, { ...page, text: `with person as materialized (${persons}) ${page.text}` });
}

/** It waits for a place like any other query of the caller. */
function withVersion({ table, person, sort, countKey }: PageRequest, page: Statement): Statement {
  const version = versionOf({ table, alsoReads: person ? ['person'] : [] });
  return {
    text: `select p.*, v.version as data_version from (select ${version} as version) v left join (${page.text}) p on true`,
    values: page.values,
    caller: { meaning: `rows ${table} ${countKey} ${JSON.stringify(orderMeaning(sort))}`, isExpectedSlow: false },
  };
}
