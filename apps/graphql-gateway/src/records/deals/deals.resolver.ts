import { Args, Context, Info, Query, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { Clock } from '../../clock.js';
import type { ConnectionField } from '../../connections/connection-field.port.js';
import type { Connection } from '../../connections/connection.types.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { positionAfter, queryFingerprint } from '../../connections/page-cursor.js';
import { orderKeys } from '../../connections/page-order.js';
import type { PreparedConnection } from '../../connections/prepared-connection.js';
import { understandFilter } from '../../connections/search-filters.js';
import { Dictionaries } from '../../dictionaries/dictionaries.service.js';
import type { RequestContext } from '../../request/request-context.js';
import { parseDealSorters } from './deal-sorters.js';
import { dealSource } from './deal-source.js';
import { DealConnection, DealsArgs, type Deal } from './deal.types.js';

@Resolver()
export class DealsResolver implements ConnectionField {
  readonly name = 'dealsConnection';
  readonly source = dealSource;
  // Sorters may be literals: data-api.md exempts them.
  readonly variableArguments = ['searchFilters'];

  constructor(
    private readonly connections: ConnectionsService,
    private readonly dictionaries: Dictionaries,
    private readonly clock: Clock,
  ) {}

  @Query(() => DealConnection, {
    description: 'Deals that match all filters, ordered by the sorters, else by id. One data call.',
  })
  async dealsConnection(
    @Args({ type: () => DealsArgs }) _args: Readonly<DealsArgs>,
    @Context('gateway') context: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Connection<Deal>> {
    return this.connections.page(this.source, context, info);
  }

  async prepare(args: DealsArgs): Promise<PreparedConnection> {
    const input = args.searchFilters as Record<string, unknown> | null | undefined;
    const now = this.clock.now();
    const filter = await this.dictionaries.apply((lookups) =>
      understandFilter('deal', input, { lookups, now, argument: 'searchFilters' }),
    );
    const sort = parseDealSorters(args.sorters);
    const keys = orderKeys(sort);
    const fingerprint = queryFingerprint(
      JSON.stringify([filter.lastingKey, keys.map(({ column, direction }) => [column, direction])]),
    );
    return {
      where: filter.where,
      filter: filter.normalised,
      countKey: filter.key,
      fingerprint,
      sort,
      after: positionAfter(args.after, fingerprint, keys),
    };
  }
}
