import { Injectable } from '@nestjs/common';
import type { Cell } from '../data-store/cells-query.js';
import { DataStore } from '../data-store/data-store.js';
import { CountCache } from './count-cache.js';
import { PagePlan } from './page-plan.js';
import { pageStatement } from './page-query.js';
import type { PageRead, PageReader, PageRequest } from './page-reader.port.js';

/** One statement, and beside it the count when it is asked for. The reference for any other implementation. */
@Injectable()
export class PostgresPageReader implements PageReader {
  constructor(
    private readonly dataStore: DataStore,
    private readonly counts: CountCache,
    private readonly plan: PagePlan,
  ) {}

  async read(request: PageRequest): Promise<PageRead> {
    const { table, where, countKey, alsoReads = [], isCounted } = request;
    const [rows, count] = await Promise.all([
      this.rows(request),
      isCounted ? this.counts.count({ table, where, key: countKey, alsoReads }) : undefined,
    ]);
    return count ? { rows, count } : { rows };
  }

  private async rows(request: PageRequest): Promise<Cell[][]> {
    const form = await this.plan.formOf(request);
    return this.dataStore.cells(pageStatement({ ...request, form }));
  }
}
