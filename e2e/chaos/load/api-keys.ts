// Signs in at the gateway and makes an API key, in the two steps that the data API has.
import { createHash } from 'node:crypto';
import { resultOf } from './load-client.js';
import type { LoadKind } from './load.types.js';

export const apiKeys: LoadKind = {
  name: 'API key',
  async act({ client, random, tell, unique, accounts }) {
    const account = random.pick(accounts);
    const login = await client.ask<{ data: { authenticateUser: { token: string } } }>(
      'graphql-gateway',
      'POST',
      '/auth/graphql',
      {
        expected: [200],
        json: {
          query: 'mutation ($input: AuthenticateUserInput!) { authenticateUser(input: $input) { token } }',
          variables: { input: { email: account.email, password: account.password } },
        },
      },
    );
    if (login.status !== 200 || login.body === undefined) return;
    const name = unique('key');
    const made = await client.ask<{ data: { createApiKey: string } }>('graphql-gateway', 'POST', '/auth/graphql', {
      expected: [200],
      bearer: login.body.data.authenticateUser.token,
      json: {
        query: 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) }',
        variables: { input: { name } },
      },
    });
    const key = made.body?.data?.createApiKey;
    const result = resultOf(made);
    tell({ what: 'key', user: account.email, name, ...(key === undefined ? {} : { keyHash: hashOf(key) }), result });
    if (key !== undefined) account.keys.push(key);
  },
};

/** As the gateway is said to store it. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
