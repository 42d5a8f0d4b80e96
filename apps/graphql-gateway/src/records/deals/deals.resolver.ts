import { connectionResolver } from '../../connections/connection.resolver.js';
import { queryFingerprint } from '../../connections/page-cursor.js';
import { orderMeaning } from '../../connections/page-order.js';
import { understandFilter } from '../../connections/search-filters.js';
import { parseDealSorters } from './deal-sorters.js';
import { dealSource } from './deal-source.js';
import { DealConnection, DealsArgs } from './deal.types.js';

export const DealsResolver = connectionResolver({
  name: 'dealsConnection',
  description: 'Deals that match all filters, ordered by the sorters, else by id. One data call.',
  type: DealConnection,
  args: DealsArgs,
  source: dealSource,
  // Sorters may be literals: data-api.md exempts them.
  variableArguments: ['searchFilters'],
  understand: ({ searchFilters, sorters }, context) => {
    const filter = understandFilter('deal', searchFilters, { ...context, argument: 'searchFilters' });
    const sort = parseDealSorters(sorters);
    const fingerprint = queryFingerprint(JSON.stringify([filter.lastingKey, orderMeaning(sort)]));
    return { ...filter, sort, fingerprint };
  },
});
