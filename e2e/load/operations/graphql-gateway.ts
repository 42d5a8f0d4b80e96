import { jsonRequest } from './json-request.js';
import type { LoadOperation } from './operation.types.js';

const query = `query ($searchFilters: InputCompanySearchFilters) {
  companiesConnection(searchFilters: $searchFilters) {
    totalCount pageInfo { hasNextPage endCursor } edges { node { id name } }
  }
}`;
const words = ['software', 'bank', 'media', 'energy', 'retail', 'health', 'cloud', 'food', 'steel', 'travel'];

export const dataQuery: LoadOperation = {
  name: 'page of companies with a count',
  service: 'graphql-gateway',
  p99MsMax: 200,
  ratePerSecondMin: 40,
  soakPerSecond: 20,
  prepare: async ({ tokens: { apiKey } }, random) => ({
    request: () => {
      const keywords = [{ values: [random.pick(words), random.pick(words)], comparison: 'IS_ANY_OF' }];
      return jsonRequest(
        '/graphql',
        { query, variables: { searchFilters: { keywords } } },
        { authorization: `Bearer ${apiKey}` },
      );
    },
  }),
};
