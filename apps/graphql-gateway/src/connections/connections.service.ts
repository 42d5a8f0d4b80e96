// From the arguments of a connection field, as admission prepared them, to its page.
import { Injectable } from '@nestjs/common';
import type { GraphQLResolveInfo } from 'graphql';
import { AppConfig } from '../app.config.js';
import { Clock, utcDay } from '../clock.js';
import { Dictionaries } from '../dictionaries/dictionaries.service.js';
import type { RequestContext } from '../request/request-context.js';
import type { Connection } from './connection.types.js';
import { cursorReader } from './page-cursor.js';
import { orderKeys, pageColumns } from './page-order.js';
import { pageInfoOf, type Page } from './page.js';
import { PageReader } from './page-reader.port.js';
import type { PreparedConnection } from './prepared-connection.js';
import { fieldReader, type RecordSource } from './record-source.js';
import { isSelected, nodeFields } from './selection.js';

@Injectable()
export class ConnectionsService {
  constructor(
    private readonly config: AppConfig,
    private readonly pages: PageReader,
    private readonly dictionaries: Dictionaries,
    private readonly clock: Clock,
  ) {}

  /** The page that the executed field with this response key asks for; its rows begin with the cells of `columns`. */
  async read(
    source: RecordSource,
    context: RequestContext,
    asked: { responseKey: string; columns: readonly string[]; isCounted: boolean },
  ): Promise<Page> {
    // Admission prepares every executed connection field before anything is charged.
    const prepared = context.prepared.get(asked.responseKey) as PreparedConnection;
    const { table } = source;
    const { columns, isCounted } = asked;
    const pageSize = this.config.DATA_PAGE_SIZE;
    const lookups = await this.dictionaries.current();
    // One row more than a page, which tells whether another page follows.
    const { rows, count } = await this.pages.read({ ...prepared, table, columns, limit: pageSize + 1, isCounted });
    const hasNextPage = rows.length > pageSize;
    if (hasNextPage) rows.pop();
    if (count)
      context.extensions['dataVersion'] = {
        ...(context.extensions['dataVersion'] as object),
        [table]: count.version,
      };
    const { fingerprint, sort, after } = prepared;
    return {
      rows,
      hasNextPage,
      hasPreviousPage: after !== null,
      cursorOf: cursorReader(fingerprint, orderKeys(sort), pageColumns(columns, sort)),
      ...(count && { totalCount: count.count }),
      reading: { lookups, today: utcDay(this.clock.now()) },
    };
  }

  /** The same as GraphQL executes it: for the field at hand, its records with the fields that are selected. */
  async page<Node>(source: RecordSource, context: RequestContext, info: GraphQLResolveInfo): Promise<Connection<Node>> {
    const names = nodeFields(info).filter((name) => Object.hasOwn(source.fields, name));
    const columns = [...new Set(names.flatMap((name) => source.fields[name]!.columns))];
    const page = await this.read(source, context, {
      responseKey: String(info.path.key),
      columns,
      isCounted: isSelected(info, 'totalCount'),
    });
    const readers = names.map((name) => [name, fieldReader(source.fields[name]!, columns)] as const);
    return {
      edges: page.rows.map((row) => ({
        cursor: page.cursorOf(row),
        // Fields that nobody selected are left out.
        node: Object.fromEntries(readers.map(([name, read]) => [name, read(row, page.reading)])) as Node,
      })),
      pageInfo: pageInfoOf(page),
      ...(page.totalCount !== undefined && { totalCount: page.totalCount }),
    };
  }
}
