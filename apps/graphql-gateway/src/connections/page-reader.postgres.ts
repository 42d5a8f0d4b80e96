import { Injectable } from '@nestjs/common';
import { DataStore } from '../data-store/data-store.js';
import { CountCache } from './count-cache.js';
import { orderMeaning } from './page-order.js';
import { formOf } from './page-plan.js';
import { pageStatement } from './page-query.js';
import type { PageRead, PageReader, PageRequest } from './page-reader.port.js';

/** One statement, and beside it the count when it is asked for. The reference for any other implementation. */
@Injectable()
export class PostgresPageReader implements PageReader {
  constructor(
    private readonly dataStore: DataStore,
    private readonly counts: CountCache,
  ) {}

  async read(request: PageRequest): Promise<PageRead> {
    const { table, where, countKey, alsoReads = [], sort, isCounted } = request;
    const statement = pageStatement({ ...request, form: formOf(request) });
    const meaning = `page ${table} ${countKey} ${JSON.stringify(orderMeaning(sort))}`;
    const [rows, count] = await Promise.all([
      // Most pages take a few milliseconds, and nobody knows which ones do not.
      this.dataStore.readRows({ ...statement, caller: { meaning, isExpectedSlow: false } }),
      isCounted ? this.counts.count({ table, where, key: countKey, alsoReads }) : undefined,
    ]);
    return count ? { rows, count } : { rows };
  }
}
