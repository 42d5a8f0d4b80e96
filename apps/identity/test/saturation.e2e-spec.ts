// A database that is stuck: every request is refused in time, and works again at once.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { saturationFaults, saturationSettings } from '@tradewind/testkit';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { authorizationUrl, makePkce, obtainTokens, userinfo } from './user-agent.js';

describe('a database that is stuck', () => {
  let identity: Identity;
  beforeAll(async () => {
    identity = await startIdentity({
      ...saturationSettings,
      REGISTRATIONS_PER_IP_PER_HOUR: '1000',
    });
  });
  afterAll(() => identity.close());

  it('is answered with 503 and Retry-After until its tables are free', async () => {
    const { issuer, databaseUrl } = identity;
    const client = await identity.createClient();
    const { email } = await identity.createUser();
    const { access_token: token } = await obtainTokens(issuer, { client, email, password, scope: 'openid' });
    const post = (path: string, body: unknown) =>
      fetch(issuer + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const authorize = (accept: string) => () =>
      fetch(authorizationUrl(issuer, { client }, makePkce()), { headers: { accept }, redirect: 'manual' });
    const { clientId: client_id, clientSecret: client_secret } = client;
    const requests = {
      userinfo: () => userinfo(issuer, token),
      'direct login': () => post('/auth/login', { email, password }),
      registration: () => post('/oauth/reg', { redirect_uris: ['https://a.example/cb'] }),
      introspection: () =>
        fetch(`${issuer}/oauth/token/introspection`, {
          method: 'POST',
          body: new URLSearchParams({ token, client_id, client_secret }),
        }),
      'authorization by a browser': authorize('text/html'),
      'authorization by a program': authorize('application/json'),
    };
    const faults = await saturationFaults({
      databaseUrl,
      schema: 'identity',
      requests,
    });
    expect(faults).toEqual([]);
  }, 60_000);
});
