// A page of another origin that calls identity from a browser, as the console does.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DpopKey } from '@tradewind/testkit';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { authorize, postForm } from './user-agent.js';

const origin = 'http://localhost:4006';
const redirectUri = `${origin}/signed-in`;
const resource = 'urn:tradewind:identity';

describe('a page of another origin', () => {
  let identity: Identity;
  beforeAll(async () => {
    identity = await startIdentity({ CORS_ORIGINS: origin, DPOP: 'true' });
  });
  afterAll(() => identity.close());

  const preflight = (path: string, method: string, of = origin) =>
    fetch(`${identity.issuer}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: of,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,dpop',
      },
    });
  const readers = ({ headers }: Response) => headers.get('access-control-allow-origin');

  it('administers with a bound token of a public client, and a thief without the key does not', async () => {
    const { email } = await identity.createUser({ role: 'ADMIN' });
    const client = await identity.createClient({
      authMethod: 'none',
      redirectUris: [redirectUri],
      resources: [resource],
    });
    const options = { client, email, password, parameters: { resource, redirect_uri: redirectUri } };
    const { code, pkce } = await authorize(identity.issuer, options);
    const key = new DpopKey();
    const url = `${identity.issuer}/oauth/token`;
    const { body } = await postForm(
      url,
      {
        ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri },
        ...{ client_id: client.clientId, code_verifier: pkce.verifier },
      },
      { dpop: key.proof({ method: 'POST', url }), origin },
    );
    expect(body).toMatchObject({ token_type: 'DPoP' });
    const token = body.access_token;
    const users = `${identity.issuer}/admin/users`;
    const call = (authorization: string, dpop?: string) =>
      fetch(users, { headers: { origin, authorization, ...(dpop === undefined ? {} : { dpop }) } });

    const answer = await call(`DPoP ${token}`, key.proof({ method: 'GET', url: users }, token));
    expect([answer.status, readers(answer)]).toEqual([200, origin]);
    for (const stolen of [
      await call(`Bearer ${token}`),
      await call(`DPoP ${token}`),
      await call(`DPoP ${token}`, new DpopKey().proof({ method: 'GET', url: users }, token)),
    ]) {
      // The page can read why.
      expect([stolen.status, readers(stolen)]).toEqual([401, origin]);
      expect(stolen.headers.get('www-authenticate')).toContain('DPoP error=');
      expect(stolen.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
    }
  });

  it('is told what it may send, and others are not', async () => {
    const answer = await preflight('/admin/users', 'POST');
    expect([answer.status, readers(answer)]).toEqual([204, origin]);
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    expect(answer.headers.get('access-control-allow-headers')).toContain('DPoP');
    expect(readers(await preflight('/admin/users', 'POST', 'https://other.example'))).toBeNull();
  });

  it('gets the answers of OpenID Connect as before, once', async () => {
    const answer = await fetch(`${identity.issuer}/.well-known/openid-configuration`, { headers: { origin } });
    expect([answer.status, readers(answer)]).toEqual([200, origin]);
    const token = await preflight('/oauth/token', 'POST');
    expect([token.status, readers(token)]).toEqual([204, origin]);
    const listing = await fetch(identity.issuer, { headers: { origin } });
    expect([listing.status, readers(listing)]).toEqual([200, '*']);
  });
});
