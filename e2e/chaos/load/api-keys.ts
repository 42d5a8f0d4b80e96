// Signs in at the gateway and makes an API key, in the two steps that the data API has.
import { createHash } from 'node:crypto';
import type { Result } from '../log/log.types.js';
import { refusedBy, resultOf } from './load-client.js';
import type { Account, LoadContext, LoadKind } from './load.types.js';

export const apiKeys: LoadKind = {
  name: 'API key',
  async act(context) {
    const account = context.random.pick(context.accounts);
    const key = await makeKey(context, account);
    if (key !== undefined) account.keys.push(key);
  },
};

/** Undefined when an answer failed. */
export async function makeKey({ client, tell, unique }: LoadContext, account: Account): Promise<string | undefined> {
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
  tell({ what: 'login', result: resultOf(login) });
  if (login.status !== 200 || login.body === undefined) return undefined;
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
  return key;
}

/** Uses a key without a data call. */
export async function tryKey({ client }: LoadContext, key: string, expected: readonly number[]): Promise<Result> {
  const json = { query: '{ __typename }' };
  return refusedBy([401], await client.ask('graphql-gateway', 'POST', '/graphql', { expected, bearer: key, json }));
}

/** As the gateway is said to store it. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
