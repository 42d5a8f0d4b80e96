/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access --
   answers are JSON of any shape, and the assertions judge them */
// Who may do what: every operation of both schemas against every kind of caller. A new operation that is missing from
// the table fails the build.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateApiKey } from '../src/api-keys/api-key-format.js';
import { ApiKeysService } from '../src/api-keys/api-keys.service.js';
import { startGateway, type Answer, type TestGateway } from './support/gateway.js';

const operations = {
  '/graphql': {
    companiesConnection: '{ companiesConnection { edges { cursor } } }',
    personsConnection: '{ personsConnection { edges { cursor } } }',
    dealsConnection: '{ dealsConnection { edges { cursor } } }',
    contactsConnection: '{ contactsConnection { edges { cursor } } }',
    __schema: '{ __schema { queryType { name } } }',
    __typename: '{ __typename }',
  },
  '/auth/graphql': {
    authenticateUser: 'mutation { authenticateUser(input: {email: "nobody@example.com", password: "x"}) { token } }',
    createApiKey: 'mutation { createApiKey(input: {name: "k"}) }',
    dataEndpoint: '{ dataEndpoint }',
  },
} as const;

describe('access', () => {
  let gateway: TestGateway;
  let credentials: Record<string, string | null>;

  beforeAll(async () => {
    gateway = await startGateway({ KEY_CACHE_MS: '0' });
    const { key, user } = await gateway.newKey();
    const revoked = await gateway.newKey();
    const service = gateway.replicas[0]!.app.get(ApiKeysService);
    const [stored] = await service.list({ user: revoked.user.email });
    await service.revoke(stored!);
    const expired = await gateway.newKey();
    await gateway.sql.query('update api_key set expires_at = now() where user_id = $1', [expired.user.id]);
    const { identity } = gateway;
    credentials = {
      'no header': null,
      'good key': key,
      'revoked key': revoked.key,
      'expired key': expired.key,
      'invented key with a right checksum': generateApiKey(),
      'malformed key': 'svc_malformed',
      'good JWT': identity.token(user),
      'expired JWT': identity.token(user, { exp: Math.floor(Date.now() / 1000) - 1 }),
      'JWT of another issuer': identity.token(user, { iss: 'https://elsewhere.example.com' }),
      'JWT for another audience': identity.token(user, { aud: 'https://elsewhere.example.com' }),
      'OAuth access token': identity.token(user, { token_use: undefined, client_id: 'c', scope: 'openid' }),
      'forged JWT': identity.forgedToken(user),
      'unsigned JWT': `${identity.token(user, {}, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`,
    };
  });
  afterAll(() => gateway.close());

  const ask = (path: string, credential: string | null, query: string): Promise<Answer> =>
    path === '/graphql' ? gateway.data(credential, query) : gateway.auth(credential, query);

  it('names every operation of both schemas', async () => {
    const fields = '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }';
    for (const path of ['/graphql', '/auth/graphql'] as const) {
      const { body } = await ask(path, credentials['good key']!, fields);
      const { queryType, mutationType } = body.data.__schema;
      const names = [...queryType.fields, ...(mutationType?.fields ?? [])].map((field: { name: string }) => field.name);
      const known = Object.keys(operations[path]).filter((name) => !name.startsWith('__'));
      expect(names.sort()).toEqual(known.sort());
    }
  });

  it('admits only a valid API key to /graphql', async () => {
    for (const [caller, credential] of Object.entries(credentials)) {
      for (const [operation, query] of Object.entries(operations['/graphql'])) {
        const { status, body } = await ask('/graphql', credential, query);
        const expected = caller === 'good key' ? 200 : 401;
        expect({ caller, operation, status }).toEqual({ caller, operation, status: expected });
        if (expected === 200) continue;
        expect(body).toEqual({
          message:
            caller === 'no header' ? expect.stringContaining('Authorization header is missing') : 'Invalid API key',
          error: 'Unauthorized',
          statusCode: 401,
        });
      }
    }
  });

  it('lets only a direct-login JWT create API keys', async () => {
    for (const [caller, credential] of Object.entries(credentials)) {
      const { status, body } = await ask('/auth/graphql', credential, operations['/auth/graphql'].createApiKey);
      if (caller === 'good JWT') {
        expect(status).toBe(200);
        expect(body.data.createApiKey).toMatch(/^svc_[0-9A-Za-z]{49}$/);
        continue;
      }
      expect({ caller, status }).toEqual({ caller, status: 401 });
      expect(body).toEqual({
        message: expect.stringMatching(caller === 'no header' ? /Authorization header is missing/ : /^Invalid token/),
        error: 'Unauthorized',
        statusCode: 401,
      });
    }
  });

  it('judges a log-in only by its credentials', async () => {
    for (const credential of Object.values(credentials)) {
      const { status, body } = await ask('/auth/graphql', credential, operations['/auth/graphql'].authenticateUser);
      expect(status).toBe(401);
      expect(body).toEqual({ message: 'Invalid credentials', error: 'Unauthorized', statusCode: 401 });
    }
  });
});
