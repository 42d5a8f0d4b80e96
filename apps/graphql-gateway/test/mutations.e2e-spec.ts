/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access --
   answers are JSON of any shape, and the assertions judge them */
// One mutation in an operation, and what a mutation costs that is refused.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startGateway, type TestGateway } from './support/gateway.js';

const logIn = 'authenticateUser(input: {email: "a@example.com", password: "x"}) { token }';
const makeKey = 'createApiKey(input: {name: "k"})';

describe('mutations', () => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await startGateway({ REFUSED_KEYS_PER_MINUTE: '3', TRUST_PROXY: 'true' });
  });
  afterEach(() => gateway.close());

  it('are refused when an operation has more than one, and none of them is done', async () => {
    const user = gateway.identity.addUser();
    const token = gateway.identity.token(user);
    // A log-in would be answered with this.
    gateway.identity.loginStatus = 429;
    for (const query of [
      `mutation { ${logIn} ${makeKey} }`,
      `mutation { ${makeKey} ${logIn} }`,
      `mutation { a: ${makeKey} b: createApiKey(input: {name: ""}) }`,
      `mutation { ...f ... on Mutation { b: ${makeKey} } } fragment f on Mutation { a: ${makeKey} }`,
      `mutation one { ${makeKey} } mutation two { a: ${makeKey} b: ${makeKey} }`,
    ])
      for (const credential of [null, 'bad', token]) {
        const { status, body } = await gateway.auth(credential, query, {}, { operationName: 'two' });
        expect({ query, status, error: body.errors?.[0] }).toMatchObject({
          query,
          status: 400,
          error: {
            message: 'The query is too large: at most 1 mutation in an operation',
            extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
          },
        });
      }
    const { rows } = await gateway.sql.query('select * from api_key');
    expect(rows).toEqual([]);
  });

  it('may ask for __typename too, and be one of several operations', async () => {
    const token = gateway.identity.token(gateway.identity.addUser());
    const query = `mutation one { __typename ${makeKey} } mutation two { ${makeKey} } query three { dataEndpoint __typename }`;
    expect((await gateway.auth(token, query, {}, { operationName: 'two' })).status).toBe(200);
  });

  it.each(['a token that is not valid', 'a token of a user whose credentials ended'])(
    'are refused with 429 after too many of %s from one network, before the token is looked at',
    async (which) => {
      const { identity } = gateway;
      const user = identity.addUser();
      const refused = which === 'a token that is not valid' ? identity.forgedToken(user) : identity.token(user);
      const good = identity.token(identity.addUser());
      identity.endCredentials(user);
      const send = (token: string, ip: string) =>
        gateway.auth(token, `mutation { ${makeKey} }`, {}, { headers: { 'x-forwarded-for': ip } });
      const statuses = [];
      for (let i = 0; i < 3; i++) {
        statuses.push((await send(refused, '203.0.113.7')).status);
        // A good token does not count.
        statuses.push((await send(good, '203.0.113.7')).status);
      }
      expect(statuses).toEqual([401, 200, 401, 200, 401, 429]);
      const { status, body, headers } = await send(refused, '203.0.113.7');
      expect({ status, body }).toEqual({
        status: 429,
        body: { message: expect.any(String), error: 'Too Many Requests', statusCode: 429 },
      });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('ratelimit')).toMatch(/^"refused_keys";r=0;t=\d+$/);
      expect((await send(good, '203.0.113.8')).status).toBe(200);
    },
  );
});
