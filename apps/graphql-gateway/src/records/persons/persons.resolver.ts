import { Args, Context, Info, Query, Resolver } from '@nestjs/graphql';
import type { GraphQLResolveInfo } from 'graphql';
import { Clock } from '../../clock.js';
import type { ConnectionField } from '../../connections/connection-field.port.js';
import type { Connection } from '../../connections/connection.types.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { positionAfter } from '../../connections/page-cursor.js';
import { orderKeys } from '../../connections/page-order.js';
import type { PreparedConnection } from '../../connections/prepared-connection.js';
import { understandFilter } from '../../connections/search-filters.js';
import { Dictionaries } from '../../dictionaries/dictionaries.service.js';
import type { RequestContext } from '../../request/request-context.js';
import { personSource } from './person-source.js';
import { PersonConnection, PersonsArgs, type Person } from './person.types.js';

@Resolver()
export class PersonsResolver implements ConnectionField {
  readonly name = 'personsConnection';
  readonly source = personSource;
  readonly variableArguments = ['searchFilters'];

  constructor(
    private readonly connections: ConnectionsService,
    private readonly dictionaries: Dictionaries,
    private readonly clock: Clock,
  ) {}

  @Query(() => PersonConnection, { description: 'Persons that match all filters, ordered by id. One data call.' })
  async personsConnection(
    @Args({ type: () => PersonsArgs }) _args: Readonly<PersonsArgs>,
    @Context('gateway') context: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Connection<Person>> {
    return this.connections.page(this.source, context, info);
  }

  async prepare(args: PersonsArgs): Promise<PreparedConnection> {
    const input = args.searchFilters as Record<string, unknown> | null | undefined;
    const now = this.clock.now();
    const filter = await this.dictionaries.apply((lookups) =>
      understandFilter('person', input, { lookups, now, argument: 'searchFilters' }),
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
