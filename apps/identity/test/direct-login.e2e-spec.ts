import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Users } from '../src/operators/users.service.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { introspect, obtainTokens, userinfo } from './user-agent.js';

describe('direct login', () => {
  let identity: Identity;
  beforeAll(async () => {
    identity = await startIdentity({ LOGIN_FAILURES_PER_NETWORK: '40' });
  });
  afterAll(() => identity.close());

  const login = (body: unknown, base = identity.issuer, headers: Record<string, string> = {}) =>
    fetch(`${base}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const me = (token: string, scheme = 'Bearer') =>
    fetch(`${identity.issuer}/auth/me`, { headers: { authorization: `${scheme} ${token}` } });

  it('answers a JWT and the user, and the JWT opens /auth/me', async () => {
    const user = await identity.createUser({ role: 'ANALYST' });
    const response = await login({ email: user.email.toUpperCase(), password });
    expect(response.status).toBe(200);
    const profile = { id: user.id, email: user.email, emailVerified: true, userRole: 'ANALYST' };
    const body = (await response.json()) as { token: string; user: object };
    expect(body).toEqual({ token: expect.any(String), user: profile });
    const keys = createRemoteJWKSet(new URL(`${identity.issuer}/oauth/jwks`));
    const { payload } = await jwtVerify(body.token, keys, { issuer: identity.issuer, audience: identity.issuer });
    expect(payload).toEqual({
      iss: identity.issuer,
      aud: identity.issuer,
      sub: user.id,
      email: user.email,
      userRole: 'ANALYST',
      token_use: 'direct',
      credentials_version: 1,
      iat: expect.any(Number),
      exp: (payload.iat as number) + 900,
    });
    const seen = await me(body.token);
    expect([seen.status, await seen.json()]).toEqual([200, profile]);
  });

  it('refuses wrong credentials with one answer for all cases', async () => {
    const user = await identity.createUser();
    const disabled = await identity.createUser();
    await identity.running.app.get(Users, { strict: false }).disable(disabled.email);
    for (const email of [user.email, 'nobody@example.com', disabled.email]) {
      const response = await login({ email, password: email === disabled.email ? password : 'wrong password' });
      expect([response.status, await response.json()]).toEqual([
        401,
        { message: 'Invalid credentials', error: 'Unauthorized', statusCode: 401 },
      ]);
    }
  });

  it.each([
    [{}, 400],
    [{ email: 'a@b.c' }, 400],
    [{ email: 'a@b.c', password: 1 }, 400],
    [{ email: ['a@b.c'], password: 'x' }, 400],
    [{ email: 'a@b.c', password: 'x', remember: true }, 400],
    [{ email: 'a@b.c', password: 'x'.repeat(2000) }, 400],
    ['{"email":', 400],
    ['[]', 400],
  ])('refuses the body %j with %i', async (body, status) => {
    const response = await login(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: 'Bad Request', statusCode: status });
  });

  it('refuses a body nested too deep, and reads a compressed one', async () => {
    const deep = '{"email":'.repeat(20_000) + '1' + '}'.repeat(20_000);
    const response = await login(deep);
    expect([response.status, await response.json()]).toEqual([
      400,
      { message: ['body must not be nested in more than 100 levels'], error: 'Bad Request', statusCode: 400 },
    ]);
    const user = await identity.createUser();
    const gzip = (body: string) =>
      fetch(`${identity.issuer}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        body: gzipSync(body) as BodyInit,
      });
    expect((await gzip(JSON.stringify({ email: user.email, password }))).status).toBe(200);
    expect((await gzip(deep)).status).toBe(400);
    expect((await login({}, identity.issuer, { 'content-type': 'application/json; charset=foo' })).status).toBe(415);
  });

  it('answers 401 to text that no database can hold', async () => {
    for (const email of ['a\u0000b@example.com', '\ud800@example.com', 'x'.repeat(254)]) {
      expect((await login({ email, password: 'y\u0000' })).status).toBe(401);
    }
    expect((await login('email=a', identity.issuer, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('token kinds are not interchangeable', async () => {
    const user = await identity.createUser();
    const client = await identity.createClient();
    const { access_token, id_token } = await obtainTokens(identity.issuer, { client, email: user.email, password });
    const { token } = (await (await login({ email: user.email, password })).json()) as { token: string };
    for (const other of [access_token, id_token, 'x', '', 'a.b.c']) expect((await me(other)).status).toBe(401);
    expect((await me(token, 'Basic')).status).toBe(401);
    expect((await fetch(`${identity.issuer}/auth/me`)).status).toBe(401);
    for (const other of [token, id_token]) {
      expect((await userinfo(identity.issuer, other)).status).toBe(401);
      expect((await introspect(identity.issuer, client, other)).body).toEqual({ active: false });
    }
    // The header of a token cannot be exchanged either.
    const [, payload, signature] = token.split('.');
    const forged = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    expect((await me(`${forged}.${payload}.`)).status).toBe(401);
    expect((await me(`${forged}.${payload}.${signature}`)).status).toBe(401);
  });

  it('a new password, a new role and being disabled end the JWTs from before', async () => {
    const user = await identity.createUser();
    const users = identity.running.app.get(Users, { strict: false });
    const tokenOf = async (secret: string) =>
      ((await (await login({ email: user.email, password: secret })).json()) as { token: string }).token;
    const before = await tokenOf(password);
    await users.setPassword(user.email, 'another long password');
    expect((await me(before)).status).toBe(401);
    expect((await login({ email: user.email, password })).status).toBe(401);
    const after = await tokenOf('another long password');
    expect((await me(after)).status).toBe(200);
    await users.setRole(user.email, 'ADMIN');
    expect((await me(after)).status).toBe(401);
    const asAdmin = await tokenOf('another long password');
    expect(await (await me(asAdmin)).json()).toMatchObject({ userRole: 'ADMIN' });
    await users.disable(user.email);
    expect((await me(asAdmin)).status).toBe(401);
    await users.enable(user.email);
    expect((await login({ email: user.email, password: 'another long password' })).status).toBe(200);
  });
});
