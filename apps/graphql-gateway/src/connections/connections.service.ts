// Reads one page: one statement, and beside it the count when it is asked for.
import { Injectable } from '@nestjs/common';
import type { GraphQLResolveInfo } from 'graphql';
import { AppConfig } from '../app.config.js';
import { DataStore } from '../data-store/data-store.js';
import type { RequestContext } from '../endpoint/request-context.js';
import type { Connection } from './connection.types.js';
import { CountCache } from './count-cache.js';
import { encodeCursor } from './page-cursor.js';
import { orderKeys, pageStatement, type SortKey } from './page-query.js';
import type { PreparedConnection, RecordSource } from './prepared-connection.js';
import { isSelected, nodeFields } from './selection.js';

@Injectable()
export class ConnectionsService {
  constructor(
    private readonly config: AppConfig,
    private readonly dataStore: DataStore,
    private readonly counts: CountCache,
  ) {}

  /** The page that the field at hand asks for, as admission prepared it. */
  async page<Row extends Record<string, unknown>, Node>(
    source: RecordSource<Row, Node>,
    context: RequestContext,
    info: GraphQLResolveInfo,
  ): Promise<Connection<Node>> {
    // Admission prepares every executed connection field before anything is charged.
    const prepared = context.prepared.get(String(info.path.key)) as PreparedConnection;
    const isCounted = isSelected(info, 'totalCount');
    const [rows, count] = await Promise.all([
      this.rows(source, prepared, info),
      isCounted
        ? this.counts.count({
            table: source.table,
            where: prepared.where,
            key: prepared.countKey,
            alsoReads: prepared.alsoReads ?? [],
          })
        : undefined,
    ]);
    if (count)
      context.extensions['dataVersion'] = {
        ...(context.extensions['dataVersion'] as object),
        [source.table]: count.version,
      };
    const connection = this.connectionOf(source, prepared, rows);
    return count ? { ...connection, totalCount: count.count } : connection;
  }

  /** One row more than a page, which tells whether another page follows. */
  private rows<Row>(source: RecordSource<Row>, prepared: PreparedConnection, info: GraphQLResolveInfo): Promise<Row[]> {
    const columns = nodeFields(info).flatMap((field) => source.columns[field] ?? []);
    const { where, sort, after } = prepared;
    const limit = this.config.DATA_PAGE_SIZE + 1;
    return this.dataStore.query<Row>(pageStatement({ table: source.table, columns, where, sort, after, limit }));
  }

  private connectionOf<Row extends Record<string, unknown>, Node>(
    source: RecordSource<Row, Node>,
    { fingerprint, sort, after }: PreparedConnection,
    rows: Row[],
  ): Connection<Node> {
    const hasNextPage = rows.length > this.config.DATA_PAGE_SIZE;
    if (hasNextPage) rows.pop();
    const keys = orderKeys(sort);
    const edges = rows.map((row) => ({
      cursor: encodeCursor(
        fingerprint,
        keys.map((key) => cursorText(row, key)),
      ),
      node: source.toNode(row),
    }));
    return {
      edges,
      pageInfo: {
        hasNextPage,
        hasPreviousPage: after !== null,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
    };
  }
}

function cursorText(row: Record<string, unknown>, { column }: SortKey): string | null {
  const value = row[column];
  if (value === null || value === undefined) return null;
  // Sort keys are texts, dates as text, digits of a bigint, or instants.
  return value instanceof Date ? value.toISOString() : (value as string);
}
