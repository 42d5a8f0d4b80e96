import { connectionResolver } from '../../connections/connection.resolver.js';
import { understandFilter } from '../../connections/search-filters.js';
import { companySource } from './company-source.js';
import { CompaniesArgs, CompanyConnection } from './company.types.js';

export const CompaniesResolver = connectionResolver({
  name: 'companiesConnection',
  description: 'Companies that match all filters, ordered by id. One data call.',
  type: CompanyConnection,
  args: CompaniesArgs,
  source: companySource,
  variableArguments: ['searchFilters', 'topMarkets', 'officeLocation'],
  understand: ({ searchFilters, topMarkets, officeLocation }, context) => {
    const input = { ...searchFilters, topMarkets, officeLocation };
    return { ...understandFilter('company', input, { ...context, argument: 'searchFilters' }), sort: [] };
  },
});
