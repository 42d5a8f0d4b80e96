import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { pageStyles } from '@tradewind/service-kit';
import { showPasswordScript } from '../src/pages/password-field.js';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  authorizationUrl,
  authorize,
  defaultRedirectUri,
  formOf,
  makePkce,
  UserAgent,
  type FlowClient,
  type FlowOptions,
  type Page,
} from './user-agent.js';

describe('login pages', () => {
  let identity: Identity;
  let user: User;
  let client: FlowClient;
  beforeAll(async () => {
    identity = await startIdentity({ TRUST_PROXY: 'true' });
    user = await identity.createUser();
    client = await identity.createClient({ name: 'Bobby <script>alert(1)</script>' });
  });
  afterAll(() => identity.close());

  const open = async (more: Partial<FlowOptions> = {}, headers: Record<string, string> = {}) => {
    const agent = new UserAgent(identity.issuer);
    const url = authorizationUrl(identity.issuer, { client, ...more }, makePkce());
    return { agent, page: await agent.visit(url, { headers }) };
  };
  const query = async (text: string): Promise<Record<string, unknown>[]> => {
    const database = new pg.Client({ connectionString: identity.databaseUrl });
    await database.connect();
    const { rows } = await database.query<Record<string, unknown>>(text);
    await database.end();
    return rows;
  };
  const credentials = () => ({ email: user.email, password });
  const toConsent = async (more: Partial<FlowOptions> = {}) => {
    const { agent, page } = await open(more);
    return { agent, page: await agent.submit(page, 'submit', credentials()) };
  };
  const csrfOf = (page: Page, action: string) => formOf(page, action).hidden['_csrf'] as string;

  it('every page is escaped, not cached, not framed, and has no script but that of the password field', async () => {
    const { agent, page } = await open();
    const consent = await agent.submit(page, 'submit', credentials());
    const failed = await new UserAgent(identity.issuer).visit('/login/nothing');
    for (const one of [page, consent, failed]) {
      expect(one.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(one.headers.get('cache-control')).toContain('no-store');
      expect(one.headers.get('referrer-policy')).toBe('no-referrer');
      expect(one.headers.get('x-content-type-options')).toBe('nosniff');
      const policy = one.headers.get('content-security-policy') ?? '';
      for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"]) {
        expect(policy).toContain(part);
      }
      const scripts = [...one.body.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script]) => script);
      expect([one.body.match(/<script/g)?.length ?? 0, scripts]).toEqual(
        one === page ? [1, [showPasswordScript]] : [0, []],
      );
      expect(policy.includes('script-src')).toBe(one === page);
      expect(one.body).toMatch(/<html lang="en">/);
    }
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://app.example.com;");
    expect(page.body).toContain('Bobby &#60;script&#62;');
    expect(consent.body).toContain('app.example.com');
    expect(consent.body).toContain(user.email);
  });

  it('the login form names its fields and requires the CSRF token', async () => {
    const { agent, page } = await open();
    for (const name of ['email', 'password', '_csrf']) expect(page.body).toContain(`name="${name}"`);
    const { action } = formOf(page, 'submit');
    for (const _csrf of ['', 'wrong', `${csrfOf(page, 'submit')}x`]) {
      const refused = await agent.post(action, { ...credentials(), _csrf });
      expect(refused.status).toBe(403);
      expect(refused.body).toContain('This form cannot be used');
    }
    // Without its cookie the token is refused, too, and none of these attempts changed anything.
    const nonceless = new UserAgent(identity.issuer);
    expect((await nonceless.post(action, { ...credentials(), _csrf: csrfOf(page, 'submit') })).status).toBe(400);
    const good = await agent.submit(page, 'submit', credentials());
    expect(good.body).toContain('/confirm"');
  });

  it('every form ignores additional fields', async () => {
    const added = { extension_field: 'x', 'user[name]': 'x', constructor: 'x' };
    const { agent, page } = await open();
    const consent = await agent.submit(page, 'submit', { ...credentials(), ...added });
    expect((await agent.submit(consent, 'confirm', added)).headers.get('location')).toContain('code=');
    const other = await open();
    const aborted = await other.agent.submit(other.page, 'abort', added);
    expect(aborted.headers.get('location')).toContain('error=access_denied');
  });

  it('a token of the login step or of another request is refused at consent', async () => {
    const { agent, page } = await open();
    const loginToken = csrfOf(page, 'submit');
    const consent = await agent.submit(page, 'submit', credentials());
    const { action } = formOf(consent, 'confirm');
    // Each step has an address of its own.
    expect(action.split('/')[2]).not.toBe(formOf(page, 'submit').action.split('/')[2]);
    expect((await agent.post(action, { _csrf: loginToken })).status).toBe(403);
    const other = await toConsent();
    expect((await agent.post(action, { _csrf: csrfOf(other.page, 'confirm') })).status).toBe(403);
    expect((await agent.post(action.replace('confirm', 'abort'), { _csrf: 'x' })).status).toBe(403);
    expect((await agent.submit(consent, 'confirm')).headers.get('location')).toContain('code=');
  });

  it('wrong credentials show the form again with one message, status 401, for known and unknown users', async () => {
    for (const email of [user.email, 'nobody@example.com']) {
      const { agent, page } = await open();
      const again = await agent.submit(page, 'submit', { email, password: 'wrong' });
      expect(again.status).toBe(401);
      expect(again.body).toContain('The email address or the password is not correct.');
      expect(again.body).toContain(`value="${email}"`);
      expect(again.body).toContain('<title>Error: Sign in');
      expect(again.body).toContain('role="alert"');
      expect(again.body.match(/aria-invalid="true" aria-describedby="problem-text"/g)).toHaveLength(2);
      expect(again.body).not.toContain('wrong"');
    }
    const { agent, page } = await open();
    const wrong = await agent.submit(page, 'submit', { email: user.email, password: 'wrong' });
    expect((await agent.submit(wrong, 'submit', credentials())).body).toContain('/confirm"');
  });

  it('fields that are too long are refused before anything is done with them', async () => {
    // Marks out of canonical order: the time to normalise them grows with the square of their number.
    const marks = 'a' + '\u0315\u0300'.repeat(20_000);
    const [attempts] = await query('select coalesce(sum(attempts), 0)::int as count from identity.attempt_window');
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const normalize = jest.spyOn(String.prototype, 'normalize');
    delay.enable();
    for (const fields of [
      { email: marks, password: 'wrong' },
      { email: `${'x'.repeat(243)}@example.com`, password: 'wrong' },
      { email: user.email, password: marks },
      { email: user.email, password: 'x'.repeat(1025) },
    ]) {
      const { agent, page } = await open();
      const again = await agent.submit(page, 'submit', fields);
      expect([again.status, again.body.length < 5000 + pageStyles.length]).toEqual([401, true]);
      expect(again.body).toContain('The email address or the password is not correct.');
    }
    delay.disable();
    const lengths = normalize.mock.contexts.map((text) => String(text).length);
    normalize.mockRestore();
    expect(lengths.filter((length) => length > 1024)).toEqual([]);
    // Without the limit it takes 2 to 5 seconds; a busy machine may still delay the event loop for a moment.
    expect(delay.max / 1e6).toBeLessThan(1000);
    expect(await query('select coalesce(sum(attempts), 0)::int as count from identity.attempt_window')).toEqual([
      attempts,
    ]);
  });

  it('a login_hint that is no address is not written into the form', async () => {
    const { page } = await open({ parameters: { login_hint: 'x'.repeat(255) } });
    expect(page.status).toBe(200);
    expect(page.body).not.toContain('xxx');
  });

  it('after 10 failures of an account the form says when to come back', async () => {
    const victim = await identity.createUser();
    const { agent, page } = await open();
    let last = page;
    for (let turn = 0; turn < 10; turn += 1) {
      last = await agent.submit(last, 'submit', { email: victim.email, password: 'wrong' });
      expect(last.status).toBe(401);
    }
    last = await agent.submit(last, 'submit', { email: victim.email, password });
    expect(last.status).toBe(429);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(last.body).toContain('Too many attempts. Try again in 15 minutes.');
    // The direct login counts in the same window.
    const direct = await fetch(`${identity.issuer}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: victim.email, password }),
    });
    expect(direct.status).toBe(429);
  });

  it('consent names every scope in plain words and grants exactly what was asked', async () => {
    const { agent, page } = await toConsent({ scope: 'openid email offline_access' });
    for (const words of ['Know who you are', 'See your email address', 'Stay connected'])
      expect(page.body).toContain(words);
    expect(page.body).not.toContain('See your profile');
    const done = await agent.submit(page, 'confirm');
    const redirect = new URL(done.headers.get('location') as string);
    expect(Object.fromEntries(redirect.searchParams)).toEqual({
      code: expect.any(String),
      state: 'state-1',
      iss: identity.issuer,
    });
  });

  it('warns when the application is on the same device', async () => {
    const local = {
      ...(await identity.createClient({ redirectUris: ['http://localhost:4999/cb'] })),
      redirectUri: 'http://localhost:4999/cb',
    };
    const { page } = await toConsent({ client: local });
    expect(page.body).toContain('localhost:4999');
    expect(page.body).toContain('on your own device');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://localhost:4999;");
  });

  it('cancel at either step informs the client', async () => {
    const atLogin = await open();
    const atConsent = await toConsent();
    for (const { agent, page } of [atLogin, atConsent]) {
      const done = await agent.submit(page, 'abort');
      const redirect = new URL(done.headers.get('location') as string);
      expect(redirect.origin + redirect.pathname).toBe('https://app.example.com/callback');
      expect(redirect.searchParams.get('error')).toBe('access_denied');
      expect(redirect.searchParams.get('state')).toBe('state-1');
      expect(redirect.searchParams.get('iss')).toBe(identity.issuer);
    }
  });

  it('a request that was answered, or is from another browser, shows the page "expired"', async () => {
    const { agent, page } = await toConsent();
    const stranger = new UserAgent(identity.issuer);
    const address = formOf(page, 'confirm').action.replace('/confirm', '');
    expect((await stranger.visit(address)).status).toBe(400);
    await agent.submit(page, 'confirm');
    for (const path of [address, '/login/unknown', `/oauth/auth/unknown`]) {
      const gone = await agent.visit(path);
      expect([gone.status, gone.body]).toEqual([400, expect.stringContaining('This sign-in has expired')]);
    }
    const again = await agent.submit(page, 'confirm');
    expect(again.status).toBe(400);
  });

  it('a signed-in user who has consented is not asked again', async () => {
    const first = await authorize(identity.issuer, { client, email: user.email, password });
    const again = await first.agent.visit(authorizationUrl(identity.issuer, { client }, makePkce()));
    expect(again.headers.get('location')).toContain('code=');
    // A new scope asks for consent, not for the password.
    const other = await identity.createClient();
    const consent = await first.agent.visit(authorizationUrl(identity.issuer, { client: other }, makePkce()));
    expect(consent.body).toContain('/confirm"');
  });

  it('signing in as somebody else ends the first session', async () => {
    const second = await identity.createUser();
    const first = await authorize(identity.issuer, { client, email: user.email, password });
    const { agent } = first;
    const page = await agent.visit(
      authorizationUrl(identity.issuer, { client, parameters: { prompt: 'login' } }, makePkce()),
    );
    const switching = await agent.submit(page, 'submit', { email: second.email, password });
    // A form that submits itself where scripts run, and has a button where they do not.
    expect(switching.status).toBe(200);
    expect(switching.body).toContain('Another account is signed in on this browser.');
    expect(switching.headers.get('content-security-policy')).toMatch(
      /script-src 'sha256-[^;]+; .*form-action 'self' http/,
    );
    const fields = Object.fromEntries(
      [...switching.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    ) as Record<string, string>;
    const action = /action="([^"]+)"/.exec(switching.body)?.[1] as string;
    const after = await agent.post(action, fields);
    expect(after.body).toContain(second.email);
  });

  it('response_mode=form_post: a page of ours posts the escaped answer to the client', async () => {
    const parameters = { response_mode: 'form_post', state: `<b>"'&` };
    const agent = new UserAgent(identity.issuer);
    const login = await agent.visit(authorizationUrl(identity.issuer, { client, parameters }, makePkce()));
    const consent = await agent.submit(login, 'submit', { email: user.email, password });
    const page = await agent.submit(consent, 'confirm');
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(page.headers.get('content-security-policy')).toContain(
      `form-action 'self' ${new URL(defaultRedirectUri).origin};`,
    );
    expect(page.body).toContain(`<form method="post" action="${defaultRedirectUri}">`);
    expect(page.body).toMatch(/name="code" value="[\w-]{20,}"/);
    expect(page.body).toContain('name="state" value="&#60;b&#62;&#34;&#39;&#38;"');
    expect(page.body).toContain('If nothing happens, continue to the application.');
  });

  it.each([
    ['de-AT,de;q=0.9,en;q=0.5', 'Anmelden', 'de'],
    ['fr', 'Se connecter', 'fr'],
    ['es-MX', 'Iniciar sesión', 'es'],
    ['ja,en;q=0.1', 'Sign in', 'en'],
  ])('speaks the language of the browser: %s', async (acceptLanguage, words, language) => {
    const { page } = await open({}, { 'accept-language': acceptLanguage });
    expect(page.body).toContain(words);
    expect(page.body).toContain(`<html lang="${language}">`);
    const failed = await new UserAgent(identity.issuer).visit('/oauth/auth?client_id=x', {
      headers: { 'accept-language': acceptLanguage },
    });
    expect(failed.body).toContain(`<html lang="${language}">`);
  });

  it('ui_locales of the client comes first, and login_hint fills the form', async () => {
    const { page } = await open(
      { parameters: { ui_locales: 'de', login_hint: 'hint@example.com' } },
      { 'accept-language': 'fr' },
    );
    expect(page.body).toContain('<html lang="de">');
    expect(page.body).toContain('value="hint@example.com"');
  });

  it('an error that must not be redirected is a page for browsers and JSON for programs', async () => {
    const html = await new UserAgent(identity.issuer).visit('/oauth/auth?client_id=nobody');
    expect([html.status, html.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(html.body).toContain('invalid_client');
    expect(html.body).not.toContain('fonts.googleapis');
    const json = await fetch(`${identity.issuer}/oauth/auth?client_id=nobody`, {
      headers: { accept: 'application/json' },
    });
    expect(await json.json()).toMatchObject({ error: 'invalid_client' });
  });
});
