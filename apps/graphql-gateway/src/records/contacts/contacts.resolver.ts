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
import { contactCondition, contactFingerprint } from './contact-filters.js';
import { contactSort } from './contact-sort.js';
import { contactSource } from './contact-source.js';
import { ContactConnection, ContactsArgs, type Contact, type InputGetContactFilters } from './contact.types.js';

@Resolver()
export class ContactsResolver implements ConnectionField {
  readonly name = 'contactsConnection';
  readonly source = contactSource;
  // The rule of the named variable is about searchFilters, topMarkets and officeLocation (data-api.md, Filter syntax).
  readonly variableArguments: readonly string[] = [];

  constructor(
    private readonly connections: ConnectionsService,
    private readonly dictionaries: Dictionaries,
    private readonly clock: Clock,
  ) {}

  @Query(() => ContactConnection, {
    description:
      'Contacts that you may see and that match all filters, in the order asked for, else by id. One data call.',
  })
  async contactsConnection(
    @Args({ type: () => ContactsArgs }) _args: Readonly<ContactsArgs>,
    @Context('gateway') context: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Connection<Contact>> {
    return this.connections.page(this.source, context, info);
  }

  async prepare(args: ContactsArgs, context: RequestContext): Promise<PreparedConnection> {
    const filters = (args.filters ?? {}) as InputGetContactFilters;
    const now = this.clock.now();
    const { personSearchFilters } = args;
    const person = personSearchFilters
      ? await this.dictionaries.apply((lookups) =>
          understandFilter('person', personSearchFilters, { lookups, now, argument: 'personSearchFilters' }),
        )
      : null;
    const userId = context.user!.id;
    const where = contactCondition({ filters, personFilter: person?.normalised ?? null, userId, now });
    const sort = contactSort(args);
    const keys = orderKeys(sort);
    const meaning = [
      contactFingerprint(filters),
      person?.lastingKey ?? null,
      keys.map(({ column, direction }) => [column, direction]),
    ];
    const fingerprint = queryFingerprint(JSON.stringify(meaning));
    return {
      where,
      asksForWords: Boolean(filters.email ?? filters.query),
      // Everything that the condition depends on is in its text and parameters: the user and the instant too.
      countKey: JSON.stringify([where.sql, where.params]),
      alsoReads: person ? ['person'] : [],
      fingerprint,
      sort,
      after: positionAfter(args.after, fingerprint, keys),
    };
  }
}
