// Answers from the index in memory where it can, and from PostgreSQL otherwise. PostgreSQL reads the rows of the page
// by their ids, in one statement with the data version of its snapshot. The answer is used only if that is the version
// of the index: then ids, count and rows belong to the same snapshot.
import { withinMs } from '@tradewind/service-kit';
import type { AppEvents } from '../events.js';
import type { PageRead, PageReader, PageRequest } from '../connections/page-reader.port.js';
import { pageColumns } from '../connections/page-order.js';
import type { DataStore } from '../data-store/data-store.js';
import { isAnswerable } from './bitset-index.js';
import { catchUpMs } from './filter-index-limits.js';
import type { FilterIndexService } from './filter-index.service.js';
import { companyColumns } from './indexed-columns.js';
import type { VersionedIndex } from './versioned-index.js';

/** Why PostgreSQL answers instead. */
type Reason = 'filter' | 'not_ready' | 'behind';

export class IndexedPageReader implements PageReader {
  constructor(
    private readonly filterIndex: FilterIndexService,
    private readonly postgres: PageReader,
    private readonly dataStore: DataStore,
    private readonly events: AppEvents,
  ) {}

  async read(request: PageRequest): Promise<PageRead> {
    if (!isIndexed(request)) return this.fromPostgres(request, 'filter');
    if (!this.filterIndex.current()) return this.fromPostgres(request, 'not_ready');
    // The second attempt is made after the index has caught up with the latest writes.
    for (const isLast of [false, true]) {
      const index = this.filterIndex.current();
      const page = index && (await this.fromIndex(index, request));
      if (page) {
        this.events.emit('page_read', { source: 'index', reason: 'answered' });
        return page;
      }
      if (!isLast) await withinMs(catchUpMs, () => this.filterIndex.catchUp()).catch(() => undefined);
    }
    return this.fromPostgres(request, 'behind');
  }

  private fromPostgres(request: PageRequest, reason: Reason): Promise<PageRead> {
    this.events.emit('page_read', { source: 'postgresql', reason });
    return this.postgres.read(request);
  }

  /** Undefined when the data has moved on since the version of the index. */
  private async fromIndex(
    index: VersionedIndex,
    { filter, countKey, sort, after, limit, columns, isCounted }: IndexedRequest,
  ): Promise<PageRead | undefined> {
    const { version } = index;
    const afterId = after === null ? null : BigInt(after[0]!);
    const ids = index.page(filter, countKey, { after: afterId, limit });
    const read = pageColumns(columns, sort);
    const listed = read.map((column) => `t.${column}`).join(', ');
    const reading = this.dataStore.readRows({
      text: `select ${listed}, v.version as data_version from data_version v left join company t on t.id = any($1::bigint[]) where v.entity = 'company' order by t.id`,
      values: [ids.map(String)],
    });
    const [found, count] = await Promise.all([
      reading,
      isCounted ? countOnceSent(index, version, () => index.count(filter, countKey)) : undefined,
    ]);
    if (BigInt(found[0]!.at(-1) as string) !== version || (isCounted && count === undefined)) return undefined;
    // An empty page still has one row, with the version.
    const idAt = read.indexOf('id');
    const rows = found.filter((row) => row[idAt] !== null);
    if (rows.length !== ids.length) {
      this.filterIndex.distrust({ version: String(version), idCount: ids.length, rowCount: rows.length });
      return undefined;
    }
    return count === undefined ? { rows } : { rows, count: { count, version: String(version) } };
  }
}

type IndexedRequest = PageRequest & { filter: NonNullable<PageRequest['filter']> };

/** Whether the page lists companies by their own filters in order of id. PostgreSQL answers everything else. */
function isIndexed(request: PageRequest): request is IndexedRequest {
  const { table, filter, sort } = request;
  return table === 'company' && sort.length === 0 && filter !== undefined && isAnswerable(filter, companyColumns);
}

/** Counts while PostgreSQL reads the page. Undefined when the index has moved on to another version by then. */
async function countOnceSent(index: VersionedIndex, version: bigint, count: () => number): Promise<number | undefined> {
  // The statement is sent at the end of this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  return index.version === version ? count() : undefined;
}
