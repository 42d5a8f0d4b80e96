import type { RunItem, RunTable, WarehouseRows, WarehouseTable } from './warehouse-tables.js';

export interface AppendResult {
  /**
   * Rows that are new. Rows already there by their `row_id` are not changed, and not counted where the warehouse can
   * tell: BigQuery cannot, and counts what it took. `countOfRun` is exact everywhere.
   */
  appended: number;
  /** Rows the warehouse refused, with its reason; the others are stored. */
  rejected: { row_id: string; reason: string }[];
}

/** The place of an item among those of its run. */
export interface RunItemPosition {
  /** When it was posted or written; null where that is not known, and for reactions. */
  at: Date | null;
  row_id: string;
}

export interface PriorityPerson {
  /** UUID. */
  person_id: string;
  /** Handle in the network as stored; null when the person has none. */
  network_username: string | null;
}

export interface ScrapedProfileCall {
  requestResource: string;
  requestType: string;
  requestDate: Date;
  requestStatus: 'SUCCESS' | 'FAILED';
  responseData: unknown;
}

/**
 * Append-only analytics tables, read through de-duplicating views.
 *
 * Repetition: `append` is idempotent by `row_id`. Ordering: none within an append.
 * Failure: `append` rejects when nothing certain is known; appending the same rows again is safe. Never updates a row.
 * Concurrency: safe to call in parallel, from several replicas too.
 */
export abstract class Warehouse {
  /** Creates the tables and views that are missing. Safe to run twice and in parallel. */
  abstract migrate(): Promise<void>;
  abstract append<T extends WarehouseTable>(table: T, rows: readonly WarehouseRows[T][]): Promise<AppendResult>;
  /** Number of distinct rows with this value of `provider_run_id`. */
  abstract countOfRun(table: RunTable, providerRunId: string): Promise<number>;
  /**
   * One page of the distinct rows with this value of `provider_run_id`, the latest in the network first, those without
   * a time last. Ties are in the order of row_id. Holds one page in memory; it sorts the rows of the run for each.
   */
  abstract readItemsOfRun<T extends RunTable>(
    table: T,
    providerRunId: string,
    page: { after?: RunItemPosition | undefined; limit: number },
  ): Promise<RunItem<T>[]>;
  /**
   * Pages of priority people: person_fields.isPriority = TRUE, left joined with person_identifiers of kind NETWORK.
   * Ordered by person_id, then username (null first, then by bytes). A page starts behind `after`. A person is priority
   * when the latest row of person_fields says so. Holds one page in memory; a page may be shorter than asked for.
   */
  abstract readPriorityPeople(options: {
    pageSize: number;
    after?: { person_id: string; network_username: string | null };
  }): AsyncIterable<PriorityPerson[]>;
  /** The latest row of requestResource and requestType by requestDate descending (pipelines.md, Coordinator job). */
  abstract latestProfileCall(requestResource: string, requestType: string): Promise<ScrapedProfileCall | undefined>;
  abstract ping(): Promise<void>;
  abstract onApplicationShutdown(): Promise<void>;
}
