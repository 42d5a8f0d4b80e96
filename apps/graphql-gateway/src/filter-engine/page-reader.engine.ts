// Answers from the filter engine where it can, and from PostgreSQL otherwise. The engine leaves out the rows that
// changed since its version; those are judged here. PostgreSQL reads the rows of the page by their ids, in one
// statement with the data version of its snapshot. The answer is used only if that is the version of the changes: then
// ids, count and rows belong to the same snapshot.
import type { ChangedRows } from '@tradewind/filter-engine';
import { withinMs } from '@tradewind/service-kit';
import { orderKeys, pageColumns } from '../connections/page-order.js';
import { orderBy, pageStatement } from '../connections/page-query.js';
import type { PageRead, PageReader, PageRequest } from '../connections/page-reader.port.js';
import type { DataStore, Statement } from '../data-store/data-store.js';
import type { AppEvents } from '../events.js';
import { catchUpMs } from './filter-engine-limits.js';
import type { FilterEngineService } from './filter-engine.service.js';

/** Why PostgreSQL answers instead. */
type Reason = 'filter' | 'not_ready' | 'behind' | 'too_costly';

type EngineRequest = PageRequest & { filter: NonNullable<PageRequest['filter']> };

export class EnginePageReader implements PageReader {
  constructor(
    private readonly filterEngine: FilterEngineService,
    private readonly postgres: PageReader,
    private readonly dataStore: DataStore,
    private readonly events: AppEvents,
  ) {}

  async read(request: PageRequest): Promise<PageRead> {
    if (!this.canAnswer(request)) return this.fromPostgres(request, 'filter');
    const { table } = request;
    if (!this.filterEngine.current(table)) return this.fromPostgres(request, 'not_ready');
    // The second attempt is made after the changes have caught up with the latest writes.
    for (const isLast of [false, true]) {
      const changed = this.filterEngine.current(table);
      const page = changed && (await this.fromEngine(changed, request));
      if (page === 'too_costly') return this.fromPostgres(request, page);
      if (page) {
        this.events.emit('page_read', { source: 'index', reason: 'answered' });
        return page;
      }
      if (!isLast) await withinMs(catchUpMs, () => this.filterEngine.catchUp(table)).catch(() => undefined);
    }
    return this.fromPostgres(request, 'behind');
  }

  private canAnswer(request: PageRequest): request is EngineRequest {
    const { filter, sort, after, limit } = request;
    return filter !== undefined && this.filterEngine.engine.canAnswer({ filter, sort: orderKeys(sort), after, limit });
  }

  private fromPostgres(request: PageRequest, reason: Reason): Promise<PageRead> {
    this.events.emit('page_read', { source: 'postgresql', reason });
    return this.postgres.read(request);
  }

  /** Undefined when the data has moved on since the version of the changes. */
  private async fromEngine(changed: ChangedRows, request: EngineRequest): Promise<PageRead | 'too_costly' | undefined> {
    const { filter, countKey, sort, after, limit, isCounted, table } = request;
    // All of it belongs to this moment: changes may be applied while the engine answers.
    const { version, since, ids: except } = changed;
    const matching = changed.matching(filter);
    if (matching === 'too_costly') return matching;
    const answer = await this.filterEngine.engine.search({
      filter,
      key: countKey,
      sort: orderKeys(sort),
      after,
      limit,
      isCounted,
      since,
      except,
    });
    if (answer === 'too_costly') return answer;
    if (typeof answer === 'string') return undefined;
    const found = await this.dataStore.readRows(rowsStatement(request, [...answer.ids, ...matching]));
    if (BigInt(found[0]!.at(-1) as string) !== version) return undefined;
    // An empty page still has one row, with the version.
    const idAt = pageColumns(request.columns, sort).indexOf('id');
    const rows = found.filter((row) => row[idAt] !== null);
    if (rows.length < answer.ids.length) {
      const details = { version: String(version), idCount: answer.ids.length, rowCount: rows.length };
      this.filterEngine.distrust(table, details);
      return undefined;
    }
    if (!isCounted) return { rows };
    return { rows, count: { count: answer.count! + matching.length, version: String(version) } };
  }
}

/** The page among these rows. Changed ones may be anywhere, so PostgreSQL orders all of them and cuts the page. */
function rowsStatement(request: EngineRequest, ids: readonly bigint[]): Statement {
  const { table, columns, sort, after, limit } = request;
  const where = { sql: 't.id = any($1::bigint[])', params: [ids.map(String)] };
  const page = pageStatement({ table, columns, where, sort, after, limit, form: 'ordered' });
  return {
    text: `select p.*, v.version as data_version from data_version v left join (${page.text}) p on true
      where v.entity = '${table}' ${orderBy(orderKeys(sort), 'p')}`,
    values: page.values,
  };
}
