// From the arguments of a connection field, as they were understood, to its page.
import { Injectable } from '@nestjs/common';
import type { GraphQLResolveInfo } from 'graphql';
import { AppConfig } from '../app.config.js';
import { Clock, utcDay } from '../clock.js';
import { Dictionaries } from '../dictionaries/dictionaries.service.js';
import type { RequestContext } from '../request/request-context.js';
import type { Connection } from './connection.types.js';
import { cursorOf } from './page-cursor.js';
import { orderKeys, pageColumns } from './page-order.js';
import { PageReader } from './page-reader.port.js';
import type { PreparedConnection } from './prepared-connection.js';
import { recordOf, type RecordSource } from './record-source.js';
import { isSelected, selectedFields } from './selection.js';

@Injectable()
export class ConnectionsService {
  constructor(
    private readonly config: AppConfig,
    private readonly pages: PageReader,
    private readonly dictionaries: Dictionaries,
    private readonly clock: Clock,
  ) {}

  /** The page, with the fields of its records that are selected. */
  async page<Node>(
    { table, fields: tableFields }: RecordSource,
    prepared: PreparedConnection,
    context: RequestContext,
    info: GraphQLResolveInfo,
  ): Promise<Connection<Node>> {
    const { fields, columns } = selectedFields(info, tableFields);
    const isCounted = isSelected(info, 'totalCount');
    const pageSize = this.config.DATA_PAGE_SIZE;
    const lookups = await this.dictionaries.current();
    // One row more than a page, which says whether another page follows.
    const { rows, count } = await this.pages.read({ ...prepared, table, columns, limit: pageSize + 1, isCounted });
    const hasNextPage = rows.length > pageSize;
    if (hasNextPage) rows.pop();
    if (count) {
      const versions = context.extensions['dataVersion'] as object | undefined;
      context.extensions['dataVersion'] = { ...versions, [table]: count.version };
    }
    const read = pageColumns(columns, prepared.sort);
    const keysAt = orderKeys(prepared.sort).map(({ column }) => read.indexOf(column));
    const reading = { lookups, today: utcDay(this.clock.now()) };
    const edges = rows.map((row) => ({
      cursor: cursorOf(prepared.fingerprint, keysAt, row),
      node: recordOf(fields, row, reading) as Node,
    }));
    return {
      edges,
      pageInfo: {
        hasNextPage,
        hasPreviousPage: prepared.after !== null,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
      ...(count && { totalCount: count.count }),
    };
  }
}
