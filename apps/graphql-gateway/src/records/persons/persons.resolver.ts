import { connectionResolver } from '../../connections/connection.resolver.js';
import { understandFilter } from '../../connections/search-filters.js';
import { personSource } from './person-source.js';
import { PersonConnection, PersonsArgs } from './person.types.js';

export const PersonsResolver = connectionResolver({
  name: 'personsConnection',
  description: 'Persons that match all filters, ordered by id. One data call.',
  type: PersonConnection,
  args: PersonsArgs,
  source: personSource,
  variableArguments: ['searchFilters'],
  understand: ({ searchFilters }, context) => ({
    ...understandFilter('person', searchFilters, { ...context, argument: 'searchFilters' }),
    sort: [],
  }),
});
