import { Args, Context, Info, Query, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { Clock } from '../../clock.js';
import type { Connection } from '../../connections/connection.types.js';
import type { ConnectionField } from '../../connections/connection-field.port.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { positionAfter } from '../../connections/page-cursor.js';
import { orderKeys } from '../../connections/page-order.js';
import type { PreparedConnection } from '../../connections/prepared-connection.js';
import { understandFilter } from '../../connections/search-filters.js';
import { Dictionaries } from '../../dictionaries/dictionaries.service.js';
import type { RequestContext } from '../../request/request-context.js';
import { companySource } from './company-source.js';
import { CompaniesArgs, CompanyConnection, type Company } from './company.types.js';

@Resolver()
export class CompaniesResolver implements ConnectionField {
  readonly name = 'companiesConnection';
  readonly source = companySource;
  readonly variableArguments = ['searchFilters', 'topMarkets', 'officeLocation'];

  constructor(
    private readonly connections: ConnectionsService,
    private readonly dictionaries: Dictionaries,
    private readonly clock: Clock,
  ) {}

  @Query(() => CompanyConnection, { description: 'Companies that match all filters, ordered by id. One data call.' })
  async companiesConnection(
    @Args({ type: () => CompaniesArgs }) _args: Readonly<CompaniesArgs>,
    @Context('gateway') context: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Connection<Company>> {
    return this.connections.page(this.source, context, info);
  }

  async prepare(args: CompaniesArgs): Promise<PreparedConnection> {
    const { topMarkets, officeLocation } = args;
    const input = { ...args.searchFilters, topMarkets, officeLocation };
    const now = this.clock.now();
    const filter = await this.dictionaries.apply((lookups) =>
      understandFilter('company', input, { lookups, now, argument: 'searchFilters' }),
    );
    const { fingerprint } = filter;
    return {
      where: filter.where,
      filter: filter.normalised,
      countKey: filter.key,
      fingerprint,
      sort: [],
      after: positionAfter(args.after, fingerprint, orderKeys([])),
    };
  }
}
