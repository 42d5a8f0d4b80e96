// Every operation of the service against callers who may not use it. A route that is not in the table fails the test.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startIdentity, type Identity } from './identity.fixture.js';

type Caller = 'nobody' | 'wrong token' | 'wrong client';

/** The answer to each caller. `open` operations need no credential; their answer without one is given. */
const operations: Record<string, { open: number } | Record<Caller, number>> = {
  'GET /': { open: 200 },
  'GET /health': { open: 200 },
  'GET /ready': { open: 200 },
  'GET /.well-known/openid-configuration': { open: 200 },
  'GET /.well-known/oauth-authorization-server': { open: 200 },
  'GET /.well-known/oauth-protected-resource': { open: 200 },
  'GET /oauth/jwks': { open: 200 },
  // Without a client there is no redirect URI for the answer.
  'GET /oauth/auth': { nobody: 400, 'wrong token': 400, 'wrong client': 400 },
  'POST /oauth/auth': { nobody: 400, 'wrong token': 400, 'wrong client': 400 },
  'GET /oauth/auth/:uid': { nobody: 400, 'wrong token': 400, 'wrong client': 400 },
  'POST /oauth/token': { nobody: 400, 'wrong token': 400, 'wrong client': 401 },
  'GET /oauth/me': { nobody: 401, 'wrong token': 401, 'wrong client': 400 },
  'POST /oauth/me': { nobody: 401, 'wrong token': 401, 'wrong client': 400 },
  'POST /oauth/token/introspection': { nobody: 401, 'wrong token': 400, 'wrong client': 401 },
  'POST /oauth/token/revocation': { nobody: 401, 'wrong token': 400, 'wrong client': 401 },
  'POST /oauth/par': { nobody: 401, 'wrong token': 400, 'wrong client': 401 },
  'POST /oauth/session/end/confirm': { nobody: 400, 'wrong token': 400, 'wrong client': 400 },
  // Open registration is a setting; here it asks for its initial token.
  'POST /oauth/reg': { nobody: 401, 'wrong token': 401, 'wrong client': 400 },
  'GET /oauth/reg/:clientId': { nobody: 401, 'wrong token': 401, 'wrong client': 400 },
  'PUT /oauth/reg/:clientId': { nobody: 401, 'wrong token': 401, 'wrong client': 400 },
  'DELETE /oauth/reg/:clientId': { nobody: 401, 'wrong token': 401, 'wrong client': 400 },
  'GET /login/:uid': { nobody: 400, 'wrong token': 400, 'wrong client': 400 },
  'POST /login/:uid/submit': { nobody: 400, 'wrong token': 400, 'wrong client': 400 },
  'POST /login/:uid/confirm': { nobody: 400, 'wrong token': 400, 'wrong client': 400 },
  'POST /login/:uid/abort': { nobody: 400, 'wrong token': 400, 'wrong client': 400 },
  'POST /auth/login': { nobody: 400, 'wrong token': 400, 'wrong client': 400 },
  // For services only.
  'GET /internal/credential-changes': { nobody: 401, 'wrong token': 401, 'wrong client': 401 },
  'GET /auth/me': { nobody: 401, 'wrong token': 401, 'wrong client': 401 },
};

const credentials: Record<Caller, Record<string, string>> = {
  nobody: {},
  'wrong token': { authorization: 'Bearer eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln' },
  'wrong client': { authorization: `Basic ${Buffer.from('nobody:secret').toString('base64')}` },
};

describe('access', () => {
  let identity: Identity;
  beforeAll(async () => {
    identity = await startIdentity({ PAR: 'on', DPOP: 'true', REGISTRATION_INITIAL_TOKEN: 'initial' });
  });
  afterAll(() => identity.close());

  it('the table has every operation', () => {
    // Nest hides the type of the adapter's instance.
    const instance = identity.running.app.getHttpAdapter().getInstance();
    const missing = Object.keys(operations).filter((operation) => {
      const [method = '', url = ''] = operation.split(' ');
      return !instance.hasRoute({ method: method, url });
    });
    expect(missing).toEqual([]);
    const printed = instance.printRoutes({ commonPrefix: false });
    const served = printed.split('\n').flatMap((line) => {
      const [, path = '', methods = ''] = /([^\s─]*)\s\(([A-Z, ]+)\)\s*$/.exec(line) ?? [];
      return methods
        .split(', ')
        .filter((method) => method && !['HEAD', 'OPTIONS'].includes(method))
        .map((method) => ({ method, path, depth: line.search(/[^\s│├└─]/) }));
    });
    expect(served.length).toBe(Object.keys(operations).length);
  });

  it.each(Object.entries(operations))('%s', async (operation, expected) => {
    const [method = '', path = ''] = operation.split(' ');
    const url = identity.issuer + path.replace(/:\w+/, 'unknown');
    for (const caller of Object.keys(credentials) as Caller[]) {
      const response = await fetch(url, { method, headers: { accept: 'application/json', ...credentials[caller] } });
      const status = 'open' in expected ? expected.open : expected[caller];
      expect([caller, response.status]).toEqual([caller, status]);
    }
  });

  it.each([
    ['GET', '/oauth/token', 'POST'],
    ['DELETE', '/oauth/me', 'GET'],
    ['POST', '/.well-known/openid-configuration', 'GET'],
    ['PUT', '/auth/login', 'POST'],
    ['POST', '/auth/me', 'GET'],
    ['GET', '/login/x/submit', 'POST'],
    ['PATCH', '/oauth/reg/x', 'PUT'],
  ])('%s %s is 405 and Allow names %s', async (method, path, allowed) => {
    const response = await fetch(identity.issuer + path, { method });
    expect([response.status, await response.json()]).toEqual([
      405,
      expect.objectContaining({ error: 'Method Not Allowed', statusCode: 405 }),
    ]);
    expect(response.headers.get('allow')?.split(', ')).toContain(allowed);
  });

  it.each([
    ['/auth/login', 'application/x-www-form-urlencoded', 'email=a&password=b'],
    ['/auth/login', 'text/plain', '{}'],
    ['/auth/login', 'multipart/form-data; boundary=x', '--x--'],
    ['/login/x/submit', 'application/json', '{}'],
    ['/login/x/abort', 'text/plain', '_csrf=x'],
  ])('%s does not read %s', async (path, contentType, body) => {
    const response = await fetch(identity.issuer + path, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    });
    expect([response.status, await response.json()]).toEqual([
      415,
      {
        message: 'The content type is not one that this address reads',
        error: 'Unsupported Media Type',
        statusCode: 415,
      },
    ]);
  });

  it('a request that authenticates no client is invalid_client', async () => {
    for (const path of ['/oauth/token/introspection', '/oauth/token/revocation', '/oauth/token']) {
      const response = await fetch(identity.issuer + path, {
        method: 'POST',
        body: new URLSearchParams({ token: 'x', grant_type: 'authorization_code' }),
      });
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([401, 'invalid_client']);
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
    }
  });

  it('unknown paths are 404', async () => {
    for (const path of [
      '/oauth',
      '/oauth/unknown',
      '/interaction/x',
      '/session/end',
      '/token',
      '/oauth/session/end',
      '/OAUTH/token',
      '/oauth/../etc',
    ]) {
      const response = await fetch(identity.issuer + path);
      expect([path, response.status]).toEqual([path, 404]);
    }
  });
});
