// Links that set a password or confirm an address, by mail and from hand to hand, and what attackers get.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Db, serviceTokenEntry } from '@tradewind/service-kit';
import { MailCatcher, testPool, type CaughtMail } from '@tradewind/testkit';
import type pg from 'pg';
import { Users } from '../src/operators/users.service.js';
import { PasswordHashing } from '../src/password-login/password-hashing.js';
import { unitOfWork } from '../src/unit-of-work/unit-of-work.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { formOf, obtainTokens, refresh, UserAgent, type FlowClient, type Page } from './user-agent.js';

const newPassword = 'another long password';
const token = 'token-of-the-console';
const settings = {
  SERVICE_TOKENS: serviceTokenEntry(token, { name: 'console', services: ['identity-admin'] }),
  TRUST_PROXY: 'true',
};
let networks = 0;
/** An address that nobody else has used. */
const newIp = () => `203.0.${Math.floor((networks += 1) / 250)}.${networks % 250}`;
const linkIn = (text: string): string => /https?:\/\/\S+/.exec(text)?.[0] ?? '';
const setPassword = (agent: UserAgent, page: Page, secret = newPassword) =>
  agent.submit(page, 'set-password', { new_password: secret, repeated: secret });

async function administrate({ issuer }: Identity, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${issuer}/admin/users${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { user: { id: string; email_verified: boolean }; link: string | null };
  return { status: response.status, ...answer };
}

async function signsIn({ issuer }: Identity, email: string, secret: string): Promise<boolean> {
  const agent = new UserAgent(issuer, issuer, newIp());
  const page = await agent.submit(await agent.visit('/account'), 'submit', { email, password: secret });
  return page.status === 200;
}

describe('links by mail', () => {
  let identity: Identity;
  let catcher: MailCatcher;
  let client: FlowClient;
  let sql: pg.Pool;
  beforeAll(async () => {
    catcher = await MailCatcher.start();
    identity = await startIdentity({ ...settings, SMTP_URL: catcher.url, MAIL_FROM: 'Tradewind <hello@example.com>' });
    client = await identity.createClient();
    sql = testPool({ connectionString: identity.databaseUrl, options: '-c search_path=identity', max: 2 });
  });
  afterAll(async () => {
    await sql.end();
    await identity.close();
    await catcher.close();
  });

  async function until<T>(find: () => Promise<T | undefined> | T | undefined): Promise<T> {
    for (const deadline = performance.now() + 20_000; performance.now() < deadline; await sleep(50)) {
      const found = await find();
      if (found !== undefined) return found;
    }
    throw new Error('nothing came');
  }
  const mailTo = (address: string): Promise<CaughtMail> => until(() => catcher.mailTo(address));
  const nothingWaits = () =>
    until(async () => ((await sql.query('select from account_mail')).rows.length === 0 ? true : undefined));
  const ask = async (email: string, ip = newIp(), headers: Record<string, string> = {}) => {
    const agent = new UserAgent(identity.issuer, identity.issuer, ip);
    const page = await agent.visit('/account/forgotten');
    const csrf = /name="_csrf" value="([^"]+)"/.exec(page.body)![1]!;
    const body = new URLSearchParams({ _csrf: csrf, email });
    return { agent, page: await agent.request('/account/forgotten', { method: 'POST', body, headers }) };
  };
  const events = async (userId: string) =>
    (
      await sql.query<{ event: string; details: string }>(
        'select event, details from audit_event where user_id = $1 order by id',
        [userId],
      )
    ).rows.map(({ event, details }) => [event, JSON.parse(details) as unknown]);

  it('a forgotten password: asked for at the login, mailed, set once, and everything before ends', async () => {
    const user = await identity.createUser({ emailVerified: false });
    const tokens = await obtainTokens(identity.issuer, {
      ...{ client, email: user.email, password, scope: 'openid offline_access' },
    });
    const login = await new UserAgent(identity.issuer).visit('/account');
    expect(login.body).toContain('href="/account/forgotten"');
    const asked = await ask(user.email.toUpperCase());
    expect([asked.page.status, asked.page.body.includes('mailbox')]).toEqual([200, true]);
    const mail = await mailTo(user.email);
    expect(mail).toMatchObject({ from: 'hello@example.com', subject: 'Set a new password', to: [user.email] });
    const link = linkIn(mail.text);
    const agent = new UserAgent(identity.issuer);
    // Scanners of mails open links, some of them often.
    for (const method of ['HEAD', 'GET', 'GET']) expect((await agent.request(link, { method })).status).toBe(200);
    const page = await agent.visit(link);
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toContain('no-store');
    expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect((await setPassword(agent, page, 'short')).status).toBe(400);
    expect(await signsIn(identity, user.email, password)).toBe(true);
    const clicks = await Promise.all([1, 2, 3].map(() => setPassword(agent, page)));
    expect(clicks.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    expect((await agent.visit(link)).status).toBe(400);
    expect([await signsIn(identity, user.email, password), await signsIn(identity, user.email, newPassword)]).toEqual([
      false,
      true,
    ]);
    expect((await refresh(identity.issuer, client, tokens.refresh_token)).status).toBe(400);
    expect(await events(user.id)).toContainEqual([
      'user.password_set',
      { by: user.id, via: 'link', link: 'password', mailed: true, ended: expect.any(Number) },
    ]);
    const { rows } = await sql.query('select email_verified from user_account where id = $1', [user.id]);
    expect(rows).toEqual([{ email_verified: true }]);
  }, 60_000);

  it('an unknown, a disabled and an impossible address get the same answer, and no mail', async () => {
    const [known, disabled] = [await identity.createUser(), await identity.createUser()];
    await identity.running.app.get(Users, { strict: false }).disable(disabled.email);
    const addresses = [known.email, disabled.email, 'nobody@example.com', '', 'x'.repeat(300), 'a\u0000b@example.com'];
    const pages = await Promise.all(addresses.map((address) => ask(address)));
    for (const { page } of pages) expect([page.status, page.body]).toEqual([200, pages[0]!.page.body]);
    await mailTo(known.email);
    await nothingWaits();
    expect([catcher.mailTo(disabled.email), catcher.mailTo('nobody@example.com')]).toEqual([undefined, undefined]);
  }, 60_000);

  it('a forgotten password costs the same statements and no hash, whoever has the address', async () => {
    const work: string[] = [];
    // What the request itself does; mails are sent behind it.
    const note = (what: string) => {
      try {
        unitOfWork();
        work.push(what);
      } catch {
        // Outside a request.
      }
    };
    const db = identity.running.app.get(Db, { strict: false });
    const hashing = identity.running.app.get(PasswordHashing, { strict: false });
    const [rows, affected] = [db.rows.bind(db), db.affected.bind(db)];
    const spies = [
      jest.spyOn(db, 'rows').mockImplementation((statement, values) => {
        note(JSON.stringify(statement));
        return rows<never>(statement, values);
      }),
      jest.spyOn(db, 'affected').mockImplementation((statement, values) => {
        note(JSON.stringify(statement));
        return affected(statement, values);
      }),
      jest.spyOn(hashing, 'hash'),
      jest.spyOn(hashing, 'verify'),
    ];
    try {
      const workFor = async (email: string) => {
        work.length = 0;
        expect((await ask(email)).page.status).toBe(200);
        return [...work];
      };
      const disabled = await identity.createUser();
      await identity.running.app.get(Users, { strict: false }).disable(disabled.email);
      spies[2]!.mockClear();
      const known = await workFor((await identity.createUser()).email);
      const hashes = spies[2]!.mock.calls.length;
      expect(known.length).toBeGreaterThan(1);
      expect(await workFor('nobody-at-all@example.com')).toEqual(known);
      expect(await workFor(disabled.email)).toEqual(known);
      // One for the user that this test made.
      expect([hashes, spies[2]!.mock.calls.length, spies[3]!.mock.calls.length]).toEqual([1, 1, 0]);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }, 60_000);

  it('a mail that an administrator causes is in the language of the request, else of the administrator', async () => {
    const invited = [
      { body: {}, accepted: 'fr-CH,fr;q=0.9,en;q=0.5', subject: 'Votre compte Tradewind' },
      { body: { language: 'de' }, accepted: 'fr', subject: 'Ihr Tradewind-Konto' },
      { body: {}, accepted: 'sv', subject: 'Your Tradewind account' },
    ].map((one) => ({ ...one, email: `${crypto.randomUUID()}@example.com` }));
    for (const { email, body, accepted } of invited) {
      await administrate(identity, '/invite', { email, ...body }, { 'accept-language': accepted });
    }
    const user = await identity.createUser();
    await administrate(identity, `/${user.id}/password-link`, undefined, { 'accept-language': 'es' });
    const expected = [...invited, { email: user.email, subject: 'Elegir una contraseña nueva' }];
    for (const { email, subject } of expected) expect((await mailTo(email)).subject).toBe(subject);
  }, 60_000);

  it('a mail that an administrator causes is in the language in which the person signed in last, or was invited', async () => {
    const subjects = { de: 'Neues Passwort festlegen', es: 'Elegir una contraseña nueva' };
    const askedIn = async (id: string, accepted: string) => {
      const made = await administrate(identity, `/${id}/password-link`, undefined, { 'accept-language': accepted });
      return (made.user as unknown as { language: string | null }).language;
    };
    const signInWith = async (email: string, headers: Record<string, string>, query = '') => {
      const agent = new UserAgent(identity.issuer, identity.issuer, newIp());
      const { action, hidden } = formOf(await agent.visit(`/account${query}`, { headers }), 'submit');
      const body = new URLSearchParams({ ...hidden, email, password });
      expect((await agent.visit(action, { method: 'POST', headers, body })).status).toBe(200);
    };
    const user = await identity.createUser();
    expect(await askedIn(user.id, 'es')).toBeNull();
    expect((await mailTo(user.email)).subject).toBe(subjects.es);
    await signInWith(user.email, { 'accept-language': 'de-CH, en;q=0.5' });
    // Neither a language without words nor no language changes it.
    await signInWith(user.email, { 'accept-language': 'sv' });
    await signInWith(user.email, { 'accept-language': '*' });
    await sql.query('delete from attempt_window');
    expect(await askedIn(user.id, 'es')).toBe('de');
    await until(() => (catcher.mailTo(user.email)?.subject === subjects.de ? true : undefined));

    const email = `${crypto.randomUUID()}@example.com`;
    const invited = await administrate(identity, '/invite', { email, language: 'de' }, { 'accept-language': 'fr' });
    expect(await askedIn(invited.user.id, 'fr')).toBe('de');
  }, 60_000);

  it('an invitation in a language without words is refused', async () => {
    for (const language of ['sv', '', null, 'de\u0000']) {
      expect((await administrate(identity, '/invite', { email: 'nobody-yet@example.com', language })).status).toBe(400);
    }
  });

  it.each(['somebody-known', 'nobody'])('three mails an hour for the address of %s', async (name) => {
    const { email } = name === 'nobody' ? { email: 'nobody-else@example.com' } : await identity.createUser();
    const statuses = [];
    for (let tries = 0; tries < 4; tries += 1) statuses.push((await ask(email)).page.status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('twenty mails an hour from one network', async () => {
    const ip = newIp();
    const statuses = [];
    for (let tries = 0; tries < 21; tries += 1) statuses.push((await ask(`n${tries}@example.com`, ip)).page.status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  }, 60_000);

  it('the link names the issuer, whatever host the request names', async () => {
    const { email } = await identity.createUser();
    await ask(email, newIp(), { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' });
    const { text } = await mailTo(email);
    expect(linkIn(text)).toMatch(new RegExp(`^${identity.issuer}/account/set-password\\?token=[\\w-]{43}$`));
    expect(text).not.toContain('evil');
  }, 60_000);

  it.each(['one,two@example.com', 'a<b>c@example.com', '"quoted"@example.com', 'a;b@example.com'])(
    'an address such as %j reaches nobody else',
    async (email) => {
      const before = catcher.mails.length;
      await administrate(identity, '/invite', { email });
      await nothingWaits();
      for (const { to, headers } of catcher.mails.slice(before)) {
        expect(to).toHaveLength(1);
        expect(to[0]?.replaceAll(/["\\]/g, '')).toBe(email.replaceAll('"', ''));
        expect(headers.filter(({ key }) => /^(b?cc|x-)/.test(key))).toEqual([]);
      }
    },
    60_000,
  );

  it('a line break in an address makes no header: such an address is none', async () => {
    const email = 'a@example.com\r\nBcc: evil@example.com';
    expect((await administrate(identity, '/invite', { email })).status).toBe(400);
    expect((await ask(email)).page.status).toBe(200);
    await nothingWaits();
    expect(catcher.mailTo('evil@example.com')).toBeUndefined();
  }, 60_000);

  it('an invited person sets a password, with a link that no answer and no table has', async () => {
    const email = 'grace@example.com';
    const made = await administrate(identity, '/invite', { email, role: 'ANALYST', name: 'Grace Hopper' });
    expect(made).toMatchObject({ status: 200, link: null, user: { email_verified: false } });
    expect((await administrate(identity, '/invite', { email })).status).toBe(409);
    const link = linkIn((await mailTo(email)).text);
    const tables = await sql.query<{ text: string }>(
      `select array(select a::text from account_link a)::text || array(select m::text from account_mail m)::text as text`,
    );
    expect(tables.rows[0]!.text).not.toContain(new URL(link).searchParams.get('token'));
    const agent = new UserAgent(identity.issuer);
    expect((await setPassword(agent, await agent.visit(link))).status).toBe(200);
    expect(await signsIn(identity, email, newPassword)).toBe(true);
    const kinds = (await events(made.user.id)).map(([event]) => event);
    expect(kinds.slice(0, 3)).toEqual(['user.invited', 'mail.sent', 'user.password_set']);
  }, 60_000);

  it('an address is confirmed by the form behind the link, not by opening it', async () => {
    const user = await identity.createUser({ emailVerified: false });
    const agent = new UserAgent(identity.issuer);
    const account = await agent.submit(await agent.visit('/account'), 'submit', { email: user.email, password });
    const sent = await agent.submit(account, 'send');
    expect(sent.body).toContain('The mail is on its way.');
    const link = linkIn((await mailTo(user.email)).text);
    const elsewhere = new UserAgent(identity.issuer);
    const page = await elsewhere.visit(link);
    const isVerified = async () =>
      (await sql.query<{ is: boolean }>('select email_verified as is from user_account where id = $1', [user.id]))
        .rows[0]!.is;
    expect(await isVerified()).toBe(false);
    // It sets no password, and is not used up by the attempt.
    expect((await elsewhere.visit(link.replace('verify-email', 'set-password'))).status).toBe(400);
    expect((await elsewhere.submit(page, 'verify-email')).status).toBe(200);
    expect(await isVerified()).toBe(true);
    expect((await elsewhere.submit(page, 'verify-email')).status).toBe(400);
    expect((await agent.visit('/account')).body).not.toContain('verify-email');
  }, 60_000);

  it.each<[string, (id: string, email: string) => Promise<unknown>]>([
    ['a day', (id) => sql.query('update account_link set expires_at = now() where user_id = $1', [id])],
    ['a new password', (_, email) => identity.running.app.get(Users, { strict: false }).setPassword(email, password)],
    ['disabling the user', (_, email) => identity.running.app.get(Users, { strict: false }).disable(email)],
    ['deleting the user', (_, email) => identity.running.app.get(Users, { strict: false }).delete(email)],
  ])(
    '%s ends a link',
    async (_, end) => {
      const user = await identity.createUser();
      await ask(user.email);
      const link = linkIn((await mailTo(user.email)).text);
      const agent = new UserAgent(identity.issuer);
      const page = await agent.visit(link);
      await end(user.id, user.email);
      expect([(await agent.visit(link)).status, (await setPassword(agent, page)).status]).toEqual([400, 400]);
    },
    60_000,
  );

  it('a mail that the server refuses for now is sent later, and one that it refuses for good is not repeated', async () => {
    const [later, never] = [await identity.createUser(), await identity.createUser()];
    const waiting = async ({ email }: { email: string }) =>
      (await sql.query<{ attempts: number }>('select attempts from account_mail where email_key = $1', [email]))
        .rows[0];
    catcher.refusesWith = 451;
    await ask(later.email);
    await until(() => (catcher.refusals === 1 ? true : undefined));
    catcher.refusesWith = 550;
    await ask(never.email);
    await until(async () => ((await waiting(never)) === undefined ? true : undefined));
    expect((await waiting(later))?.attempts).toBe(1);
    catcher.refusesWith = undefined;
    await sql.query('update account_mail set due_at = now()');
    expect(linkIn((await mailTo(later.email)).text)).toContain('/account/set-password');
    await nothingWaits();
    expect(catcher.mailTo(never.email)).toBeUndefined();
  }, 60_000);

  it('the forms need their token, and a link of nobody is none', async () => {
    const agent = new UserAgent(identity.issuer);
    for (const path of ['forgotten', 'set-password', 'verify-email']) {
      expect((await agent.post(`/account/${path}`, { email: 'a@b.c', token: 'x', _csrf: 'x' })).status).toBe(403);
    }
    for (const query of ['', '?token=', '?token=x', `?token=${'x'.repeat(3000)}`, '?token=a&token=b', '?token=%00']) {
      expect((await agent.visit(`/account/set-password${query}`)).status).toBe(400);
      expect((await agent.visit(`/account/verify-email${query}`)).status).toBe(400);
    }
  });
});

describe('links without mail', () => {
  let identity: Identity;
  beforeAll(async () => {
    identity = await startIdentity(settings);
  });
  afterAll(() => identity.close());

  it('nobody can ask for one, and the login does not offer it', async () => {
    const agent = new UserAgent(identity.issuer);
    expect((await agent.visit('/account')).body).not.toContain('forgotten');
    expect((await agent.visit('/account/forgotten')).status).toBe(404);
    expect((await agent.post('/account/forgotten', { email: 'a@example.com' })).status).toBe(404);
    expect((await agent.post('/account/verify-email/send', {})).status).toBe(404);
  });

  it('whoever makes one sees it once; it confirms no address, since anybody may have handed it over', async () => {
    const made = await administrate(identity, '/invite', { email: 'hand@example.com' });
    const agent = new UserAgent(identity.issuer);
    expect((await setPassword(agent, await agent.visit(made.link ?? ''))).status).toBe(200);
    expect(await signsIn(identity, 'hand@example.com', newPassword)).toBe(true);
    const again = await administrate(identity, `/${made.user.id}/password-link`);
    expect(again).toMatchObject({ status: 200, user: { email_verified: false } });
    expect((await setPassword(agent, await agent.visit(again.link ?? ''), password)).status).toBe(200);
    const users = identity.running.app.get(Users, { strict: false });
    await users.disable('hand@example.com');
    expect((await administrate(identity, `/${made.user.id}/password-link`)).status).toBe(409);
  });
});
