import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Users } from '../src/users/users.service.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { introspect, obtainTokens, userinfo } from './user-agent.js';

describe('direct login', () => {
  let identity: Identity;
  beforeAll(async () => {
    identity = await startIdentity({ LOGIN_FAILURES_PER_IP: '40' });
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

  it('takes text that no database would', async () => {
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

  it('a new password, and being disabled, end the JWTs from before', async () => {
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
    expect(await (await me(after)).json()).toMatchObject({ userRole: 'ADMIN' });
    await users.disable(user.email);
    expect((await me(after)).status).toBe(401);
    await users.enable(user.email);
    expect((await login({ email: user.email, password: 'another long password' })).status).toBe(200);
  });
});

describe('throttling of logins', () => {
  let identity: Identity;
  beforeAll(async () => {
    identity = await startIdentity({ TRUST_PROXY: 'true' });
  });
  afterAll(() => identity.close());

  const login = (email: string, secret: string, ip: string, base = identity.issuer) =>
    fetch(`${base}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
      body: JSON.stringify({ email, password: secret }),
    });

  it('an account has 10 failures in the window over all replicas, known or not, and a success starts afresh', async () => {
    const replica = (await identity.startReplica()).url;
    const user = await identity.createUser();
    for (const [index, email] of [user.email, 'nobody@example.com'].entries()) {
      const ip = `10.0.0.${index}`;
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, turn) => login(email, 'wrong', ip, turn % 2 ? replica : identity.issuer)),
      );
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
      const limited = answers.filter(({ status }) => status === 429);
      expect(limited).toHaveLength(20);
      for (const answer of limited) {
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(850);
        expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(900);
      }
      // From elsewhere, and with the right password, too: guessing on is what is stopped.
      expect((await login(email, password, '10.9.9.9')).status).toBe(429);
    }
    const other = await identity.createUser();
    for (let round = 0; round < 3; round += 1) {
      for (let turn = 0; turn < 5; turn += 1) expect((await login(other.email, 'wrong', '10.0.1.1')).status).toBe(401);
      expect((await login(other.email, password, '10.0.1.1')).status).toBe(200);
    }
  });

  // Nearly a hundred passwords are hashed.
  it('right passwords are not refused, however many log in at once', async () => {
    const crowded = await identity.startReplica({ LOGIN_FAILURES_PER_IP: '12' });
    const user = await identity.createUser();
    const answers = await Promise.all(Array.from({ length: 40 }, () => login(user.email, password, '10.0.4.1')));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(40).fill(200));
    const users = await Promise.all(Array.from({ length: 15 }, () => identity.createUser()));
    const others = await Promise.all(users.map(({ email }) => login(email, password, '10.0.4.2', crowded.url)));
    expect(others.map(({ status }) => status)).toEqual(Array<number>(15).fill(200));
    // Nine wrong ones among them count as nine.
    const mixed = await Promise.all(
      Array.from({ length: 27 }, (_, turn) => login(user.email, turn % 3 ? password : 'wrong', '10.0.4.3')),
    );
    expect(mixed.map(({ status }) => status)).toEqual(Array.from({ length: 27 }, (_, turn) => (turn % 3 ? 200 : 401)));
  }, 90_000);

  it('a login that is not judged for want of capacity is no failure', async () => {
    const busy = await identity.startReplica({ PASSWORD_HASHES_WAITING: '1', LOGIN_FAILURES_PER_ACCOUNT: '100' });
    const user = await identity.createUser();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => login(user.email, 'wrong', '10.0.5.1', busy.url)),
    );
    const judged = answers.filter(({ status }) => status === 401).length;
    const unjudged = answers.filter(({ status }) => status === 503).length;
    expect([unjudged > 1, judged + unjudged]).toEqual([true, 30]);
    // Only what was judged counts towards the limit.
    const strict = await identity.startReplica({ LOGIN_FAILURES_PER_ACCOUNT: String(judged + 1) });
    expect((await login(user.email, password, '10.0.5.2', strict.url)).status).toBe(200);
  });

  it('the window ends by itself, and refused attempts do not lengthen it', async () => {
    const short = await identity.startReplica({ LOGIN_WINDOW_SECONDS: '2', LOGIN_FAILURES_PER_ACCOUNT: '2' });
    const user = await identity.createUser();
    const started = Date.now();
    for (const status of [401, 401, 429, 429]) {
      expect((await login(user.email, 'wrong', '10.0.2.1', short.url)).status).toBe(status);
    }
    let status = 429;
    while (status === 429 && Date.now() - started < 8000) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      status = (await login(user.email, password, '10.0.2.1', short.url)).status;
    }
    expect(status).toBe(200);
    expect(Date.now() - started).toBeLessThan(4000);
  });

  it('an address has 100 failures over all accounts', async () => {
    const strict = await identity.startReplica({ LOGIN_FAILURES_PER_IP: '12' });
    const answers = [];
    for (let turn = 0; turn < 14; turn += 1) {
      answers.push((await login(`guess${turn}@example.com`, 'wrong', '10.0.3.1', strict.url)).status);
    }
    expect(answers).toEqual([...Array<number>(12).fill(401), 429, 429]);
    expect((await login('guess99@example.com', 'wrong', '10.0.3.2', strict.url)).status).toBe(401);
  });

  it('a wrong password takes the same time for known and unknown accounts', async () => {
    const time = async (email: string) => {
      const started = performance.now();
      await login(email, 'wrong', `10.1.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`);
      return performance.now() - started;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    const users = await Promise.all(Array.from({ length: 9 }, () => identity.createUser()));
    for (const [index, user] of users.entries()) {
      known.push(await time(user.email));
      unknown.push(await time(`unknown${index}@example.com`));
    }
    // Both compute one argon2id hash, some 20 ms; without that the difference would be more than tenfold.
    // The quickest of each: what else runs on the machine only ever adds.
    const ratio = Math.min(...known) / Math.min(...unknown);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });
});
