// A database whose counters and keys are stuck: every request is refused in time, and works again at once.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { saturationFaults, saturationSettings } from '@tradewind/testkit';
import { startGateway, type TestGateway } from './support/gateway.js';

describe('a database that is stuck', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({
      ...saturationSettings,
      KEY_CACHE_MS: '0',
    });
  });
  afterAll(() => gateway.close());

  it('is answered with 503 and Retry-After until its tables are free', async () => {
    const { key, user } = await gateway.newKey();
    const { url } = gateway.replicas[0]!;
    const post = (path: string, credential: string, query: string) => () =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
        body: JSON.stringify({ query }),
      });
    const token = gateway.identity.token(user);
    const requests = {
      'a data call': post('/graphql', key, '{ companiesConnection { totalCount } }'),
      'another request': post('/graphql', key, '{ __typename }'),
      'a new key': post('/auth/graphql', token, 'mutation { createApiKey(input: { name: "k" }) }'),
    };
    const faults = await saturationFaults({
      databaseUrl: gateway.database.url,
      schema: 'graphql_gateway',
      requests,
    });
    expect(faults).toEqual([]);
  }, 60_000);
});
