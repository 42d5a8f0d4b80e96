// What somebody from outside tries at the account pages and with tokens, beyond what the tests of each feature try.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { Users } from '../src/operators/users.service.js';
import { Administration, machineToken } from './administration.fixture.js';
import { password, type Identity } from './identity.fixture.js';
import { enrol, enterPassword } from './two-factor.fixture.js';
import { formOf, introspect, obtainTokens, userinfo, UserAgent, type Page } from './user-agent.js';

const otherPassword = 'another long password';
const cookieOf = (agent: UserAgent, name: string) =>
  agent
    .cookieHeader('/')
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`));
/** Without what is new on every page. */
const withoutTokens = ({ body }: Page) => body.replace(/value="[^"]*"/g, '').replace(/\/login\/[\w-]+/g, '/login/UID');

describe('an outsider', () => {
  let administration: Administration;
  let identity: Identity;
  let listener: Server;
  let heard: URLSearchParams[] = [];

  beforeAll(async () => {
    administration = await Administration.start({ TRUST_PROXY: 'true' });
    identity = administration.identity;
    listener = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        heard.push(new URLSearchParams(body));
        response.end();
      });
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    listener.closeAllConnections();
    listener.close();
    await identity.close();
  });

  const users = () => identity.running.app.get(Users, { strict: false });
  const isSignedIn = ({ body }: Page) => body.includes('/account/sign-out"');
  /** A link that sets a password of this user. */
  const linkOf = async (id: string) => {
    const { status, body } = await administration.send(machineToken, `POST /users/${id}/password-link`);
    expect(status).toBe(200);
    return (body as unknown as { link: string }).link;
  };
  const use = (agent: UserAgent, page: Page, secret: string) =>
    agent.submit(page, 'set-password', { new_password: secret, repeated: secret });

  it('who has prepared a browser, or copied its cookies before the login, is not signed in by it', async () => {
    const user = await identity.createUser();
    const agent = new UserAgent(identity.issuer);
    // The question of a sign-out and the beginning of a login leave cookies.
    await agent.visit('/oauth/session/end');
    const login = await agent.visit('/account');
    const copies = { cookie: agent.cookieHeader('/account') };
    const before = cookieOf(agent, '_session');
    const page = await agent.submit(login, 'submit', { email: user.email, password });
    expect(isSignedIn(page)).toBe(true);
    expect(cookieOf(agent, '_session')).not.toBe(before);
    expect(isSignedIn(await new UserAgent(identity.issuer).visit('/account', { headers: copies }))).toBe(false);
  });

  it('a copy of the cookies of one account does not become another account that signs in later', async () => {
    const [first, second] = [await identity.createUser(), await identity.createUser()];
    const { agent } = await enterPassword(identity, first.email);
    const copies = { cookie: agent.cookieHeader('/account') };
    await agent.submit(await agent.visit('/account'), 'sign-out');
    expect(isSignedIn((await enterPassword(identity, second.email, { agent })).page)).toBe(true);
    expect(isSignedIn(await new UserAgent(identity.issuer).visit('/account', { headers: copies }))).toBe(false);
  });

  it('of ten people who use one link at the same moment one sets a password, and nobody after', async () => {
    const user = await identity.createUser();
    const link = await linkOf(user.id);
    const pages = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const agent = new UserAgent(identity.issuer);
        return { n, agent, page: await agent.visit(link) };
      }),
    );
    const answers = await Promise.all(pages.map(({ n, agent, page }) => use(agent, page, `${otherPassword} ${n}`)));
    const winners = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []));
    expect(winners).toHaveLength(1);
    expect(answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual(Array(9).fill(400));
    for (const { n, agent, page } of pages.slice(0, 3)) {
      expect((await use(agent, page, `${otherPassword} ${n}`)).status).toBe(400);
    }
    const { page } = await enterPassword(identity, user.email, { ip: '203.0.113.1' });
    expect(isSignedIn(page)).toBe(false);
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['is disabled', (id) => users().disable({ id })],
    ['is deleted', (id) => users().delete({ id })],
    ['gets another password', (id) => users().setPassword({ id }, otherPassword)],
    ['gets another role', (id) => users().setRole({ id }, 'ANALYST')],
  ])('a link, and its open form, are worthless once the user %s', async (_, change) => {
    const user = await identity.createUser();
    const link = await linkOf(user.id);
    const agent = new UserAgent(identity.issuer);
    const form = await agent.visit(link);
    expect(form.status).toBe(200);
    await change(user.id);
    expect([(await agent.visit(link)).status, (await use(agent, form, password)).status]).toEqual([400, 400]);
  });

  it('nothing that a page reads from its address leads to another site', async () => {
    const user = await identity.createUser();
    const { agent } = await enterPassword(identity, user.email);
    for (const place of ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const given = encodeURIComponent(place);
      for (const path of [
        `/account/signed-in?state=${given}`,
        `/account?done=${given}`,
        `/account/sessions?page=${given}`,
      ]) {
        const page = await agent.visit(path);
        expect([page.status, new URL(page.url).origin, page.body.includes('evil.example')]).toEqual([
          200,
          identity.issuer,
          false,
        ]);
      }
    }
    // Without a client the address is no use, and the browser stays here.
    const end = await agent.visit(
      `/oauth/session/end?post_logout_redirect_uri=${encodeURIComponent('https://evil.example')}`,
    );
    expect(end.headers.get('content-security-policy')).not.toContain('evil.example');
    const ended = await agent.submit(end, 'confirm', { logout: 'yes' });
    expect([ended.status, new URL(ended.url).origin]).toEqual([200, identity.issuer]);
  });

  it('a login says the same of an account that exists, is disabled, has a second factor, or does not exist', async () => {
    const [known, disabled] = [await identity.createUser(), await identity.createUser()];
    await users().disable(disabled.email);
    const { user: strong } = await enrol(identity);
    const pages = await Promise.all(
      [known.email, disabled.email, strong.email, 'nobody@example.com'].map(async (email, n) => {
        const agent = new UserAgent(identity.issuer, identity.issuer, `198.51.100.${n}`);
        const page = await agent.submit(await agent.visit('/account'), 'submit', { email, password: 'wrong password' });
        return [page.status, withoutTokens(page).replaceAll(email, 'ADDRESS'), [...page.headers.keys()].sort()];
      }),
    );
    for (const page of pages) expect(page).toEqual(pages[0]);
    // With the right password, too: whoever is disabled learns nothing.
    const agent = new UserAgent(identity.issuer, identity.issuer, '198.51.100.9');
    const refused = await agent.submit(await agent.visit('/account'), 'submit', { email: disabled.email, password });
    expect([refused.status, withoutTokens(refused).replaceAll(disabled.email, 'ADDRESS')]).toEqual(
      pages[0]!.slice(0, 2),
    );
  });

  it('the forms of somebody who has been disabled do nothing', async () => {
    const { user, agent } = await enrol(identity);
    const pages = {
      overview: await agent.visit('/account'),
      own: await agent.visit('/account/password'),
      factors: await agent.visit('/account/two-factor'),
    };
    await users().disable(user.email);
    const forms: [Page, string, Record<string, string>][] = [
      [pages.own, 'password', { password, new_password: otherPassword, repeated: otherPassword }],
      [pages.factors, 'codes', {}],
      [pages.factors, 'remove', {}],
      [pages.overview, 'sign-out', {}],
    ];
    const count = async () =>
      administration.query('select id from audit_event where user_id = $1 and event <> $2', [user.id, 'login.failed']);
    const before = await count();
    for (const [page, action, fields] of forms) {
      const answer = await agent.submit(page, action, fields);
      expect([action, answer.status, answer.body.includes('/submit"')]).toEqual([action, 200, true]);
    }
    expect(await count()).toEqual(before);
  });

  it('each kind of token is good for its own purpose alone', async () => {
    heard = [];
    const user = await identity.createUser({ role: 'ADMIN' });
    const uri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/heard`;
    const client = await identity.createClient({ backchannelLogoutUri: uri });
    const options = { client, email: user.email, password, scope: 'openid email offline_access' };
    const { access_token, id_token, refresh_token, agent } = await obtainTokens(identity.issuer, options);
    const direct = await fetch(`${identity.issuer}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: user.email, password }),
    });
    const { token: directToken } = (await direct.json()) as { token: string };
    const end = await agent.visit('/oauth/session/end');
    await agent.submit(end, 'confirm', { logout: 'yes' });
    for (let waits = 0; heard.length === 0 && waits < 100; waits += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const logoutToken = heard[0]!.get('logout_token')!;
    const forged = await new SignJWT({ sub: user.id, userRole: 'ADMIN', scope: 'openid' })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .setIssuer(identity.issuer)
      .setAudience('urn:tradewind:identity')
      .setIssuedAt()
      .setExpirationTime('5m')
      .setJti('x')
      .sign(new TextEncoder().encode(client.clientSecret));
    const me = async (token: string) =>
      (await fetch(`${identity.issuer}/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status;
    const admin = async (token: string) => (await administration.send(token, 'GET /users')).status;
    const active = async (token: string) => (await introspect(identity.issuer, client, token)).body['active'];
    const found: Record<string, unknown> = {};
    for (const [name, token] of Object.entries({
      access_token,
      id_token,
      refresh_token,
      directToken,
      logoutToken,
      forged,
    })) {
      found[name] = [
        (await userinfo(identity.issuer, token)).status,
        await me(token),
        await admin(token),
        await active(token),
      ];
    }
    expect(found).toEqual({
      access_token: [200, 401, 401, true],
      id_token: [401, 401, 401, false],
      // Introspection takes it, as RFC 7662 has it.
      refresh_token: [401, 401, 401, true],
      directToken: [401, 200, 401, false],
      logoutToken: [401, 401, 401, false],
      forged: [401, 401, 401, false],
    });
  });

  it('an ID token of somebody else signs nobody out without the question, which names who is signed in', async () => {
    const [victim, attacker] = [await identity.createUser(), await identity.createUser()];
    const client = await identity.createClient({ postLogoutRedirectUris: ['https://app.example.com/out'] });
    const { id_token: hint } = await obtainTokens(identity.issuer, { client, email: attacker.email, password });
    const { agent } = await enterPassword(identity, victim.email);
    const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: 'https://app.example.com/out' });
    const page = await agent.visit(`/oauth/session/end?${query.toString()}`);
    expect([page.status, page.headers.get('location')]).toEqual([200, null]);
    expect(page.body).toContain(victim.email);
    expect(page.body).not.toContain(attacker.email);
    expect(isSignedIn(await agent.visit('/account'))).toBe(true);
    // Nor is the answer of the attacker's own browser good in the victim's.
    const own = new UserAgent(identity.issuer);
    await enterPassword(identity, attacker.email, { agent: own });
    const { hidden } = formOf(await own.visit('/oauth/session/end'), 'confirm');
    expect((await agent.post('/oauth/session/end/confirm', { ...hidden, logout: 'yes' })).status).toBe(400);
    expect(isSignedIn(await agent.visit('/account'))).toBe(true);
  });

  it('an address that only looks or compares like that of a user is the same user, or another one without rights', async () => {
    const user = await identity.createUser({ email: 'Straße.Ada@Example.com' });
    const create = (email: string) => administration.send(machineToken, 'POST /users', { email, password });
    for (const same of ['straße.ada@example.com', 'STRAßE.ADA@EXAMPLE.COM', ' straße.ada@example.com ']) {
      expect([same, (await create(same)).status]).toEqual([same, 409]);
    }
    // A Cyrillic letter, or one of full width, makes another address.
    for (const similar of ['straße.ad\u0430@example.com', '\uff53traße.ada@example.com']) {
      const other = await create(similar);
      expect([similar, other.status, other.body.id === user.id]).toEqual([similar, 200, false]);
    }
    for (const bad of ['a@b\r\nBcc: c@example.com', 'a@b\u0000', '\ud800@example.com', 'a b@example.com', '@', 'a@']) {
      expect([bad, (await create(bad)).status]).toEqual([bad, 400]);
    }
  });

  it('two invitations of one address at the same moment make one user with one link', async () => {
    const email = 'invited-twice@example.com';
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => administration.send(machineToken, 'POST /users/invite', { email })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    const links = await administration.query(
      'select from account_link l join user_account u on u.id = l.user_id where u.email = $1',
      [email],
    );
    expect(links).toHaveLength(1);
  });
});
