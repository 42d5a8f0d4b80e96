// Second factors over the wire: the app, recovery codes, what each attacker gets. Passkeys need a browser:
// two-factor-browser.e2e-spec.ts.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testPool } from '@tradewind/testkit';
import type pg from 'pg';
import { Users } from '../src/operators/users.service.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { codeOf, enrol, enterPassword, recoveryCodesOn, secretOn, type Enrolled } from './two-factor.fixture.js';
import {
  authorizationUrl,
  decodeJwt,
  exchangeCode,
  formOf,
  makePkce,
  obtainTokens,
  userinfo,
  UserAgent,
  type FlowClient,
  type Page,
} from './user-agent.js';

describe('second factors', () => {
  let identity: Identity;
  let users: Users;
  let client: FlowClient;
  let sql: pg.Pool;
  let networks = 0;
  beforeAll(async () => {
    identity = await startIdentity({ TRUST_PROXY: 'true', LOGIN_FAILURES_PER_ACCOUNT_AND_NETWORK: '5' });
    users = identity.running.app.get(Users, { strict: false });
    client = await identity.createClient();
    sql = testPool({ connectionString: identity.databaseUrl, options: '-c search_path=identity', max: 4 });
  });
  afterAll(async () => {
    await sql.end();
    await identity.close();
  });

  /** An address that nobody else has used. */
  const newIp = () => `198.51.${Math.floor((networks += 1) / 250)}.${networks % 250}`;
  const ask = ({ user }: Enrolled, ip = newIp()) => enterPassword(identity, user.email, { ip });
  const isSignedIn = ({ url, status }: Page) => status === 200 && new URL(url).pathname === '/account';
  const asksForCode = ({ body }: Page) => body.includes('/code"');
  const directLogin = (email: string, secret = password) =>
    fetch(`${identity.issuer}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': newIp() },
      body: JSON.stringify({ email, password: secret }),
    });
  const events = async (userId: string) =>
    (
      await sql.query<{ event: string; details: string }>(
        'select event, details from audit_event where user_id = $1 order by id',
        [userId],
      )
    ).rows.map(({ event, details }): [string, Record<string, unknown>] => [
      event,
      JSON.parse(details) as Record<string, unknown>,
    ]);

  it('signs in with password and code, and ID tokens say so', async () => {
    const enrolled = await enrol(identity);
    expect(enrolled.codes).toHaveLength(10);
    const agent = new UserAgent(identity.issuer);
    const pkce = makePkce();
    const before = Math.floor(Date.now() / 1000);
    let page = await agent.visit(authorizationUrl(identity.issuer, { client, scope: 'openid' }, pkce));
    page = await agent.submit(page, 'submit', { email: enrolled.user.email, password });
    expect(asksForCode(page)).toBe(true);
    page = await agent.submit(page, 'code', { code: codeOf(enrolled.secret) });
    page = await agent.submit(page, 'confirm');
    const code = new URL(page.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const { body } = await exchangeCode(identity.issuer, client, code, pkce);
    const { payload } = decodeJwt(body.id_token);
    expect(payload).toMatchObject({ acr: 'urn:tradewind:acr:two-factor', amr: ['pwd', 'otp', 'mfa'] });
    expect(payload['auth_time']).toBeGreaterThanOrEqual(before);
    expect(Object.keys((await (await userinfo(identity.issuer, body.access_token)).json()) as object)).toEqual(['sub']);
    expect((await events(enrolled.user.id)).slice(-4)).toEqual([
      ['login.second_factor_needed', { via: 'form' }],
      ['login.succeeded', { via: 'form', second_factor: 'totp' }],
      ['consent.given', expect.anything()],
      ['token.issued', expect.anything()],
    ]);
  });

  it('a password alone is its own strength, and the discovery document lists both', async () => {
    const { email } = await identity.createUser();
    const { id_token: idToken } = await obtainTokens(identity.issuer, { client, email, password });
    expect(decodeJwt(idToken).payload).toMatchObject({
      ...{ acr: 'urn:tradewind:acr:password', amr: ['pwd'], auth_time: expect.any(Number) },
    });
    const response = await fetch(`${identity.issuer}/.well-known/openid-configuration`);
    expect(((await response.json()) as Record<string, unknown>)['acr_values_supported']).toEqual([
      'urn:tradewind:acr:password',
      'urn:tradewind:acr:two-factor',
    ]);
  });

  it('the password alone gives no session, no code and no known browser', async () => {
    const enrolled = await enrol(identity);
    const { agent, page } = await ask(enrolled);
    expect(asksForCode(page)).toBe(true);
    expect(agent.setCookies.join('\n')).not.toContain('known_browser');
    expect((await agent.visit('/account')).body).toContain('/submit"');
    // The address to which the provider leads after a login.
    const { agent: other, page: asked } = await ask(enrolled);
    const uid = new URL(asked.url).pathname.split('/')[2]!;
    const resumed = await other.visit(`/oauth/auth/${uid}`);
    expect(resumed.body).toContain('/submit"');
    expect((await other.visit('/account')).body).toContain('/submit"');
  });

  it('takes a code once, also when it comes ten times at the same moment', async () => {
    const enrolled = await enrol(identity);
    const code = codeOf(enrolled.secret);
    const asked = await Promise.all(Array.from({ length: 10 }, () => ask(enrolled)));
    const pages = await Promise.all(asked.map(({ agent, page }) => agent.submit(page, 'code', { code })));
    expect(pages.filter(isSignedIn)).toHaveLength(1);
    expect(pages.filter(({ status }) => status === 401)).toHaveLength(9);
    const { agent, page } = await ask(enrolled);
    expect((await agent.submit(page, 'code', { code })).status).toBe(401);
  });

  it('takes a code of the next step, then none before it, and none of two steps away', async () => {
    const enrolled = await enrol(identity);
    const { agent, page } = await ask(enrolled);
    expect((await agent.submit(page, 'code', { code: codeOf(enrolled.secret, 3) })).status).toBe(401);
    expect(isSignedIn(await agent.submit(page, 'code', { code: codeOf(enrolled.secret, 1) }))).toBe(true);
    const again = await ask(enrolled);
    expect((await again.agent.submit(again.page, 'code', { code: codeOf(enrolled.secret, 0) })).status).toBe(401);
  });

  it('takes a recovery code once, also when it comes five times at the same moment', async () => {
    const enrolled = await enrol(identity);
    const code = enrolled.codes[3]!.toUpperCase().replaceAll('-', ' ');
    const asked = await Promise.all(Array.from({ length: 5 }, () => ask(enrolled)));
    const pages = await Promise.all(asked.map(({ agent, page }) => agent.submit(page, 'code', { code })));
    expect(pages.filter(isSignedIn)).toHaveLength(1);
    expect((await events(enrolled.user.id)).filter(([event]) => event === 'second_factor.recovery_code_used')).toEqual([
      ['second_factor.recovery_code_used', { by: enrolled.user.id, via: 'form', left: 9 }],
    ]);
    const { page } = await ask(enrolled);
    const withForm = await enrolled.agent.visit(`${new URL(page.url).pathname}?recovery=yes`);
    // Another browser's interaction.
    expect(withForm.status).toBe(400);
  });

  it('new recovery codes end the old ones', async () => {
    const enrolled = await enrol(identity);
    const overview = await enrolled.agent.visit('/account/two-factor');
    const renewed = recoveryCodesOn(await enrolled.agent.submit(overview, 'codes'));
    expect(renewed).toHaveLength(10);
    const { agent, page } = await ask(enrolled);
    expect((await agent.submit(page, 'code', { code: enrolled.codes[0]! })).status).toBe(401);
    expect(isSignedIn(await agent.submit(page, 'code', { code: renewed[0]! }))).toBe(true);
  });

  it('the tables hold neither the secret nor a code', async () => {
    const { user, secret, codes } = await enrol(identity);
    const { rows } = await sql.query<{ text: string }>(
      `select t::text || array(select r::text from recovery_code r where r.user_id = t.user_id)::text as text
         from totp_secret t where t.user_id = $1`,
      [user.id],
    );
    expect(rows[0]!.text).toContain('v1.');
    for (const text of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))])
      expect(rows[0]!.text).not.toContain(text);
  });

  it('wrong codes are counted as wrong passwords are, and a right password in between forgives none', async () => {
    const enrolled = await enrol(identity);
    const ip = newIp();
    for (let tries = 0; tries < 5; tries += 1) {
      const { agent, page } = await ask(enrolled, ip);
      const wrong = await agent.submit(page, 'code', { code: '000000' });
      expect([tries, wrong.status, wrong.headers.get('retry-after')]).toEqual([tries, 401, null]);
    }
    // Not even the password is checked now.
    expect((await ask(enrolled, ip)).page.status).toBe(429);
    const { agent, page } = await ask(enrolled);
    agent.moveTo(ip);
    const throttled = await agent.submit(page, 'code', { code: codeOf(enrolled.secret) });
    expect(throttled.status).toBe(429);
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0);
    // The owner's browser has a count of its own.
    enrolled.agent.moveTo(ip);
    const own = await enterPassword(identity, enrolled.user.email, {
      agent: enrolled.agent,
      path: authorizationUrl(identity.issuer, { client, parameters: { prompt: 'login' } }, makePkce()),
    });
    const code = codeOf(enrolled.secret);
    expect((await enrolled.agent.submit(own.page, 'code', { code })).body).toContain('/confirm"');
  });

  it('thirty wrong codes from anywhere are the most in a day', async () => {
    const enrolled = await enrol(identity);
    await sql.query(
      `insert into attempt_window (key, attempts, window_ends_at) values ($1, 30, now() + interval '1 day')`,
      [`second factor ${enrolled.user.id}`],
    );
    const { agent, page } = await ask(enrolled);
    expect((await agent.submit(page, 'code', { code: codeOf(enrolled.secret) })).status).toBe(429);
  });

  it('the direct login refuses an account with a second factor, and only after the right password', async () => {
    const { user } = await enrol(identity);
    const refused = await directLogin(user.email);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      {
        message: 'This account signs in with a second factor, which only the login page asks for.',
        error: 'Forbidden',
        statusCode: 403,
      },
    ]);
    const wrong = await directLogin(user.email, 'wrong password');
    expect([wrong.status, ((await wrong.json()) as { message: string }).message]).toEqual([401, 'Invalid credentials']);
    expect((await directLogin((await identity.createUser()).email)).status).toBe(200);
  });

  it('a new password between the steps makes the first one worthless', async () => {
    const enrolled = await enrol(identity);
    const { agent, page } = await ask(enrolled);
    await users.setPassword(enrolled.user.email, 'another long password');
    const late = await agent.submit(page, 'code', { code: codeOf(enrolled.secret) });
    expect(late.status).toBe(400);
    expect((await agent.visit('/account')).body).toContain('/submit"');
  });

  it.each(['', '12345', '1234567', 'abcdef', '١٢٣٤٥٦', '\u0000', 'x'.repeat(100_000), '{}'])(
    'the code %j is wrong, and nothing fails',
    async (code) => {
      const enrolled = await enrol(identity);
      const { agent, page } = await ask(enrolled);
      expect((await agent.submit(page, 'code', { code })).status).toBe(401);
    },
  );

  it('nothing that is posted as the answer of a passkey signs in or fails', async () => {
    const enrolled = await enrol(identity);
    const deep = `${'['.repeat(4000)}${']'.repeat(4000)}`;
    const empty = { id: 'x', rawId: 'x', type: 'public-key', response: {} };
    for (const answer of ['', 'null', '1', '{}', deep, JSON.stringify(empty), 'x'.repeat(50_000)]) {
      const { agent, page } = await ask(enrolled);
      const { action, hidden } = formOf(page, 'code');
      const posted = await agent.post(action.replace(/code$/, 'passkey'), { ...hidden, answer });
      expect([answer.slice(0, 20), posted.status]).toEqual([answer.slice(0, 20), 401]);
    }
    const overview = await enrolled.agent.visit('/account/two-factor');
    const { hidden } = formOf(overview, 'codes');
    const form = /name="set_up" value="([^"]+)"/.exec((await enrolled.agent.visit('/account/two-factor/passkey')).body);
    for (const answer of ['', 'null', deep, JSON.stringify({ ...empty, response: { attestationObject: 'oA' } })]) {
      const posted = await enrolled.agent.post('/account/two-factor/passkey', { ...hidden, set_up: form![1]!, answer });
      expect(posted.status).toBe(400);
    }
  });

  it('a set-up belongs to one user, and cannot be made up', async () => {
    const [one, other] = [await identity.createUser(), await identity.createUser()];
    const { agent } = await enterPassword(identity, one.email);
    const { agent: otherAgent } = await enterPassword(identity, other.email);
    const page = await agent.visit('/account/two-factor/app');
    const own = formOf(await otherAgent.visit('/account/two-factor/app'), 'app').hidden;
    const { set_up: setUp } = formOf(page, 'app').hidden;
    for (const stolen of [setUp!, 'v1.x.y.z', '']) {
      const fields = { _csrf: own['_csrf']!, set_up: stolen, code: codeOf(secretOn(page)) };
      const answered = await otherAgent.post('/account/two-factor/app', fields);
      expect(new URL(answered.url).search).toBe('?done=expired');
    }
    expect((await directLogin(other.email)).status).toBe(200);
  });

  it('a wrong code at the set-up shows the same key again', async () => {
    const { agent } = await enterPassword(identity, (await identity.createUser()).email);
    const page = await agent.visit('/account/two-factor/app');
    const again = await agent.submit(page, 'app', { code: '000000' });
    expect([again.status, secretOn(again)]).toEqual([400, secretOn(page)]);
    expect(recoveryCodesOn(await agent.submit(again, 'app', { code: codeOf(secretOn(page)) }))).toHaveLength(10);
  });

  it('a second click adds nothing twice, and the removal of the last factor ends all of it', async () => {
    const user = await identity.createUser();
    const { agent } = await enterPassword(identity, user.email);
    const page = await agent.visit('/account/two-factor/app');
    const click = () => agent.submit(page, 'app', { code: codeOf(secretOn(page)) });
    const answers = await Promise.all([click(), click(), click()]);
    expect(answers.filter((answer) => recoveryCodesOn(answer).length === 10)).toHaveLength(1);
    const overview = await agent.visit('/account/two-factor');
    const removed = await agent.submit(overview, 'remove');
    expect(new URL(removed.url).search).toBe('?done=removed');
    expect(new URL((await agent.submit(overview, 'remove')).url).search).toBe('?done=gone');
    expect((await directLogin(user.email)).status).toBe(200);
    const { rows } = await sql.query('select from recovery_code where user_id = $1', [user.id]);
    expect(rows).toEqual([]);
    expect((await events(user.id)).filter(([event]) => event.startsWith('second_factor.'))).toEqual([
      ['second_factor.added', { by: user.id, via: 'page', means: 'totp' }],
      ['second_factor.removed', { by: user.id, via: 'page', means: 'totp', last: true }],
    ]);
  });

  it('the pages ask for a sign-in of the last ten minutes, and a form for one of the last twenty', async () => {
    const enrolled = await enrol(identity);
    const { agent, user } = enrolled;
    const overview = await agent.visit('/account/two-factor');
    const age = (seconds: number) =>
      sql.query(
        `update oidc_payload set payload = (payload::jsonb || jsonb_build_object('loginTs', extract(epoch from now())::int - $2::int))::text
          where model = 'Session' and account_id = $1`,
        [user.id, seconds],
      );
    await age(700);
    expect((await agent.visit('/account/two-factor')).body).toContain('/submit"');
    expect(recoveryCodesOn(await agent.submit(overview, 'codes'))).toHaveLength(10);
    await age(1300);
    const login = await agent.submit(overview, 'remove');
    expect(login.body).toContain('/submit"');
    const asked = await agent.submit(login, 'submit', { email: user.email, password });
    expect(asksForCode(asked)).toBe(true);
    const back = await agent.submit(asked, 'code', { code: codeOf(enrolled.secret) });
    expect(new URL(back.url).pathname).toBe('/account/two-factor');
    expect(back.body).toContain('/remove"');
  });

  it('a session from before there was a second factor removes none', async () => {
    const user = await identity.createUser();
    const early = await enterPassword(identity, user.email);
    const form = await early.agent.visit('/account/two-factor');
    await enrol(identity, user);
    expect((await early.agent.visit('/account/two-factor')).body).toContain('/submit"');
    const { hidden } = formOf(await early.agent.visit('/account'), 'sign-out');
    expect((await early.agent.post('/account/two-factor/remove', hidden)).body).toContain('/submit"');
    expect(form.status).toBe(200);
    expect((await directLogin(user.email)).status).toBe(403);
  });

  it('a reset by an operator ends sessions and tokens, and the password alone signs in again', async () => {
    const enrolled = await enrol(identity);
    await users.resetSecondFactor(enrolled.user.email);
    expect((await enrolled.agent.visit('/account')).body).toContain('/submit"');
    expect(isSignedIn((await ask(enrolled)).page)).toBe(true);
    const [reset] = (await events(enrolled.user.id)).filter(([event]) => event === 'user.second_factor_reset');
    expect(reset).toEqual(['user.second_factor_reset', { by: 'operator', ended: expect.any(Number) }]);
    await users.resetSecondFactor(enrolled.user.email);
    expect((await events(enrolled.user.id)).filter(([event]) => event === 'user.second_factor_reset')).toHaveLength(1);
  });

  describe('with SECOND_FACTOR_FOR_ADMIN', () => {
    let strict: Identity;
    beforeAll(async () => {
      strict = await startIdentity({ SECOND_FACTOR_FOR_ADMIN: 'true' });
    });
    afterAll(() => strict.close());

    it('an ADMIN sets one up at sign-in, and whoever has one cannot add another with the password alone', async () => {
      const admin = await strict.createUser({ role: 'ADMIN' });
      const [first, second] = [await enterPassword(strict, admin.email), await enterPassword(strict, admin.email)];
      const { agent, page } = first;
      expect(page.body).not.toContain('/code"');
      expect((await agent.visit('/account')).body).toContain('/submit"');
      expect((await agent.submit(page, 'set-up', { code: '000000' })).status).toBe(400);
      const codes = await agent.submit(page, 'set-up', { code: codeOf(secretOn(page)) });
      expect(recoveryCodesOn(codes)).toHaveLength(10);
      const onward = /<p class="links"><a href="([^"]+)"/.exec(codes.body)![1]!;
      expect(isSignedIn(await agent.visit(onward))).toBe(true);
      const late = await second.agent.submit(second.page, 'set-up', { code: codeOf(secretOn(second.page)) });
      expect(late.status).toBe(400);
      const overview = await agent.visit('/account/two-factor');
      expect(new URL((await agent.submit(overview, 'remove')).url).search).toBe('?done=needed');
    });

    it('a session of an ADMIN from before the setting is asked again, and the direct login refuses', async () => {
      const admin = await strict.createUser({ role: 'ADMIN' });
      const user = await strict.createUser();
      const lax = await strict.startReplica({ SECOND_FACTOR_FOR_ADMIN: 'false' });
      const agent = new UserAgent(strict.issuer, lax.url);
      expect(isSignedIn((await enterPassword(strict, admin.email, { agent })).page)).toBe(true);
      agent.useReplica(strict.issuer);
      expect((await agent.visit('/account')).body).toContain('/submit"');
      const own = await strict.createClient();
      const silent = authorizationUrl(strict.issuer, { client: own, parameters: { prompt: 'none' } }, makePkce());
      const { headers } = await agent.request(silent);
      expect(headers.get('location')).toContain('error=login_required');
      const logIn = ({ email }: { email: string }) =>
        fetch(`${strict.issuer}/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email, password }),
        });
      expect([(await logIn(admin)).status, (await logIn(user)).status]).toEqual([403, 200]);
    });
  });
});
