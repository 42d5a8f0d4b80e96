// Answers from the filter engine where it can, and from PostgreSQL otherwise. The engine leaves out the rows that
// changed since its version; those are judged and sorted here. PostgreSQL reads the rows of the page by their ids, in
// one statement with the data version of its snapshot. The answer is used only if that is the version of the changes:
// then ids, count and rows belong to the same snapshot. Who can write to an index outside of the process must not
// decide what a caller sees, so that statement tests the whole filter again, visibility included.
import type { ChangedRows, FilterEngine, Unanswered } from '@tradewind/filter-engine';
import { withinMs } from '@tradewind/service-kit';
import { orderKeys, orderMeaning, pageColumns } from '../connections/page-order.js';
import { orderBy, pageStatement } from '../connections/page-query.js';
import type { PageRead, PageReader, PageRequest } from '../connections/page-reader.port.js';
import type { DataStore, Statement } from '../data-store/data-store.js';
import type { AppEvents } from '../events.js';
import { catchUpMs } from './filter-engine-limits.js';
import type { FollowedChanges } from './followed-changes.js';

/** Why PostgreSQL answers instead. */
type Reason = Unanswered | 'filter' | 'failed';

type EngineRequest = PageRequest & { filter: NonNullable<PageRequest['filter']> };

export interface EnginePageReaderParts {
  engine: FilterEngine;
  postgres: PageReader;
  changes: FollowedChanges;
  dataStore: DataStore;
  events: AppEvents;
}

export class EnginePageReader implements PageReader {
  constructor(private readonly parts: EnginePageReaderParts) {}

  async read(request: PageRequest): Promise<PageRead> {
    const { engine, postgres, events } = this.parts;
    const page = this.canAnswer(request) ? await this.fromEngine(request) : 'filter';
    if (typeof page === 'string') {
      events.emit('page_read', { source: 'postgres', reason: page });
      return postgres.read(request);
    }
    events.emit('page_read', { source: engine.name, reason: 'answered' });
    return page;
  }

  private canAnswer(request: PageRequest): request is EngineRequest {
    const { filter, sort, after, limit } = request;
    return filter !== undefined && this.parts.engine.canAnswer({ filter, sort: orderKeys(sort), after, limit });
  }

  private async fromEngine(request: EngineRequest): Promise<PageRead | Reason> {
    const { changes } = this.parts;
    const { table } = request;
    // The second attempt is made after the changes have caught up with the latest writes.
    for (const isLast of [false, true]) {
      const changed = changes.current(table);
      const page = changed ? await this.attempt(changed, request) : 'not_ready';
      if (page !== 'behind' || isLast) return page;
      await withinMs(catchUpMs, () => changes.catchUp(table)).catch(() => undefined);
    }
    return 'behind';
  }

  /** `behind` also when the data has moved on since the version of the changes. */
  private async attempt(changed: ChangedRows, request: EngineRequest): Promise<PageRead | Reason> {
    const { engine, changes, dataStore, events } = this.parts;
    const { filter, countKey, sort, after, limit, isCounted, table } = request;
    // All of it belongs to this moment: changes may be applied while the engine answers.
    const { version, since, ids: except } = changed;
    const matching = changed.matching(filter);
    if (matching === 'too_costly') return matching;
    const near = changed.firstOf(matching, { sort: orderKeys(sort), after, limit });
    const query = {
      filter,
      key: countKey,
      sort: orderKeys(sort),
      after,
      limit,
      isCounted,
      since,
      upTo: version,
      except,
    };
    const answer = await engine.search(query).catch((error: unknown) => {
      events.emit('filter_engine_failed', { engine: engine.name, entity: table, err: error });
      return 'failed' as const;
    });
    if (typeof answer === 'string') return answer;
    const ids = [...answer.ids, ...near];
    const statement = engine.isOutside ? testedRowsStatement(request, ids) : rowsStatement(request, ids);
    const found = await dataStore.readRows(statement);
    if (BigInt(found[0]!.at(-1) as string) !== version) return 'behind';
    // An empty page still has one row, with the version.
    const idAt = pageColumns(request.columns, sort).indexOf('id');
    const rows = found.filter((row) => row[idAt] !== null);
    const idCount = engine.isOutside ? ids.length : answer.ids.length;
    if (rows.length < idCount) {
      changes.distrust(table, { version: String(version), idCount, rowCount: rows.length });
      return 'failed';
    }
    rows.splice(limit);
    if (!isCounted) return { rows };
    return { rows, count: { count: answer.count! + matching.length, version: String(version) } };
  }
}

/** The page among the first rows of the engine and the first ones that changed, which PostgreSQL puts in order. */
function rowsStatement(request: EngineRequest, ids: readonly bigint[]): Statement {
  const where = { sql: 't.id = any($1::bigint[])', params: [ids.map(String)] };
  return withVersion(request, pageStatement({ ...request, where, form: 'ordered' }));
}

/** All of these rows that satisfy the filter, so that a missing one shows. Its text depends on the filter. */
function testedRowsStatement(request: EngineRequest, ids: readonly bigint[]): Statement {
  const { sql, params } = request.where;
  const where = { sql, params: [...params, ids.map(String)] };
  // OFFSET 0 keeps the indexes of the filter out of the plan: the rows are found by their ids.
  const table = `(select * from ${request.table} where id = any($${where.params.length}::bigint[]) offset 0)`;
  const limit = Math.max(ids.length, 1);
  return withVersion(request, pageStatement({ ...request, table, where, limit, form: 'ordered' }));
}

/** It waits for a place like any other query of the caller. */
function withVersion({ table, sort, countKey }: EngineRequest, page: Statement): Statement {
  return {
    text: `select p.*, v.version as data_version from data_version v left join (${page.text}) p on true
      where v.entity = '${table}' ${orderBy(orderKeys(sort), 'p')}`,
    values: page.values,
    caller: { meaning: `rows ${table} ${countKey} ${JSON.stringify(orderMeaning(sort))}`, isExpectedSlow: false },
  };
}
