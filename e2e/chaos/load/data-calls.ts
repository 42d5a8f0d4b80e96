// Asks for companies with a key of one of the users, until the calls of the day are used up.
import { hashOf } from './api-keys.js';
import { resultOf } from './load-client.js';
import type { LoadKind } from './load.types.js';

const query = `query ($searchFilters: InputCompanySearchFilters) {
  companiesConnection(searchFilters: $searchFilters) { totalCount edges { node { id name } } }
}`;

export const dataCalls: LoadKind = {
  name: 'data call',
  async act({ client, random, tell, accounts }) {
    const account = random.pick(accounts);
    const key = account.keys.at(-random.integer(1, 3)) ?? account.keys.at(-1);
    if (key === undefined) return;
    const keywords = [{ values: [random.pick(['software', 'bank', 'media'])], comparison: 'IS_ANY_OF' }];
    const reply = await client.ask('graphql-gateway', 'POST', '/graphql', {
      // 429: the calls of the day are used up.
      expected: [200, 429],
      bearer: key,
      json: { query, variables: { searchFilters: { keywords } } },
    });
    tell({ what: 'data call', user: account.email, keyHash: hashOf(key), result: resultOf(reply) });
  },
};
