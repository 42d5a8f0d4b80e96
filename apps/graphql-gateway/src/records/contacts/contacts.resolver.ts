import { connectionResolver } from '../../connections/connection.resolver.js';
import { queryFingerprint } from '../../connections/page-cursor.js';
import { orderMeaning } from '../../connections/page-order.js';
import { understandFilter } from '../../connections/search-filters.js';
import { contactCondition, contactFingerprint } from './contact-filters.js';
import { contactSort } from './contact-sort.js';
import { contactSource } from './contact-source.js';
import { ContactConnection, ContactsArgs } from './contact.types.js';

export const ContactsResolver = connectionResolver({
  name: 'contactsConnection',
  description:
    'Contacts that you may see and that match all filters, in the order asked for, else by id. One data call.',
  type: ContactConnection,
  args: ContactsArgs,
  source: contactSource,
  // The rule of the named variable is about searchFilters, topMarkets and officeLocation (data-api.md, Filter syntax).
  variableArguments: [],
  understand: (args, context) => {
    const filters = args.filters ?? {};
    const person = args.personSearchFilters
      ? understandFilter('person', args.personSearchFilters, { ...context, argument: 'personSearchFilters' })
      : null;
    const { userId, now } = context;
    // A filter without conditions does not even require that there is a person.
    const asksForPerson = person !== null && person.filter.conditions.length > 0;
    const personFilter = asksForPerson ? person.filter : null;
    const { where, filter } = contactCondition({ filters, personFilter, userId, now });
    const sort = contactSort(args);
    const meaning = [contactFingerprint(filters), person?.lastingKey ?? null, orderMeaning(sort)];
    return {
      where,
      filter,
      ...(asksForPerson && { person: { filter: person.filter, key: person.countKey } }),
      // Everything that the condition depends on is in its text and parameters, the user and the instant included.
      countKey: JSON.stringify([where.sql, where.params]),
      alsoReads: asksForPerson ? ['person'] : [],
      fingerprint: queryFingerprint(JSON.stringify(meaning)),
      sort,
    };
  },
});
