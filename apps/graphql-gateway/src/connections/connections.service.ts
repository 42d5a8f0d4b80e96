// From the arguments of a connection field to its page on the wire.
import { Injectable } from '@nestjs/common';
import type { GraphQLResolveInfo } from 'graphql';
import { AppConfig } from '../app.config.js';
import type { RequestContext } from '../endpoint/request-context.js';
import type { Connection } from './connection.types.js';
import { encodeCursor } from './page-cursor.js';
import { orderKeys, type SortKey } from './page-query.js';
import { PageReader } from './page-reader.port.js';
import type { PreparedConnection, RecordSource } from './prepared-connection.js';
import { isSelected, nodeFields } from './selection.js';

@Injectable()
export class ConnectionsService {
  constructor(
    private readonly config: AppConfig,
    private readonly pages: PageReader,
  ) {}

  /** The page that the field at hand asks for, as admission prepared it. */
  async page<Row extends Record<string, unknown>, Node>(
    source: RecordSource<Row, Node>,
    context: RequestContext,
    info: GraphQLResolveInfo,
  ): Promise<Connection<Node>> {
    // Admission prepares every executed connection field before anything is charged.
    const prepared = context.prepared.get(String(info.path.key)) as PreparedConnection;
    const { table } = source;
    const columns = nodeFields(info).flatMap((field) => source.columns[field] ?? []);
    const { rows, count } = await this.pages.read<Row>({
      ...prepared,
      table,
      columns,
      // One row more than a page, which tells whether another page follows.
      limit: this.config.DATA_PAGE_SIZE + 1,
      isCounted: isSelected(info, 'totalCount'),
    });
    if (count)
      context.extensions['dataVersion'] = {
        ...(context.extensions['dataVersion'] as object),
        [table]: count.version,
      };
    const connection = this.connectionOf(source, prepared, rows);
    return count ? { ...connection, totalCount: count.count } : connection;
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
