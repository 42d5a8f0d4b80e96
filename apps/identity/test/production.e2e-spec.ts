// The service as production runs it: behind a proxy that terminates TLS, while the other services call it directly.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@tradewind/service-kit';
import { password, startIdentity, type Identity } from './identity.fixture.js';

describe('in production', () => {
  let identity: Identity;
  let production: RunningService;
  let email: string;
  const settings = {
    ENVIRONMENT: 'production',
    HOST: '127.0.0.1',
    TRUST_PROXY: '1',
    OAUTH_ISSUER: 'https://id.example.com',
    COOKIE_KEYS: 'mP3vX9cQ7rT1yU5wZ8bN2kL6',
  };
  beforeAll(async () => {
    const STORAGE_KEYS = 'dG4hJ8sA2fK6lW0qE9rT5yU1';
    identity = await startIdentity({ STORAGE_KEYS });
    ({ email } = await identity.createUser());
    production = await identity.startReplica(settings);
  });
  afterAll(() => identity.close());

  const get = (path: string, headers: Record<string, string> = {}) => fetch(production.url + path, { headers });

  it.each([
    '/',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-protected-resource',
    '/oauth/jwks',
    '/oauth/me',
    '/oauth/auth?client_id=nobody',
    '/login/nobody',
    '/auth/me',
  ])('%s makes browsers use https, and refuses plain http', async (path) => {
    const secure = await get(path, { 'x-forwarded-proto': 'https' });
    expect(secure.headers.get('strict-transport-security')).toBe('max-age=63072000; includeSubDomains');
    const plain = await get(path, { 'x-forwarded-proto': 'http' });
    expect([plain.status, await plain.json()]).toEqual([
      403,
      { message: expect.stringContaining('https'), error: 'Forbidden', statusCode: 403 },
    ]);
  });

  it.each([
    [undefined, 'is missing'],
    ['Tradewind <no-reply@localhost>', 'must not be at localhost'],
    ['no-reply@mail.localhost', 'must not be at localhost'],
  ])('does not start with a mail server and the sender %j', async (sender, fault) => {
    const starting = identity.startReplica({
      ...settings,
      SMTP_URL: 'smtps://smtp.example.com',
      ...(sender !== undefined && { MAIL_FROM: sender }),
    });
    await expect(starting).rejects.toThrow(new RegExp(`MAIL_FROM  ${fault}`));
  });

  it('answers the other services, which do not come through the proxy', async () => {
    expect((await get('/oauth/jwks')).status).toBe(200);
    expect((await get('/health', { 'x-forwarded-proto': 'http' })).status).toBe(200);
    const login = await fetch(`${production.url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect(login.status).toBe(200);
  });
});
