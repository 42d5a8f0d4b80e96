import { testPool } from '@tradewind/testkit';
// Failed logins, and how they are counted: by account and network, by account, by network, and separately for known
// browsers.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { Users } from '../src/operators/users.service.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { authorizationUrl, formOf, makePkce, UserAgent, type Page } from './user-agent.js';

describe('throttling of logins', () => {
  let identity: Identity;
  let sql: pg.Pool;
  beforeAll(async () => {
    identity = await startIdentity({ TRUST_PROXY: 'true' });
    sql = testPool({ connectionString: identity.databaseUrl, max: 1 });
  });
  afterAll(async () => {
    await sql.end();
    await identity.close();
  });

  const login = (email: string, secret: string, ip: string, base = identity.issuer) =>
    fetch(`${base}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
      body: JSON.stringify({ email, password: secret }),
    });

  const logins = (count: number, email: string, secret: string, ip: (turn: number) => string, base?: string) =>
    Promise.all(Array.from({ length: count }, (_, turn) => login(email, secret, ip(turn), base)));
  const count = (answers: Response[], status: number) => answers.filter((answer) => answer.status === status).length;

  it('an account has 10 failures from one network over all replicas, known or not, and a success starts afresh', async () => {
    const replica = (await identity.startReplica()).url;
    const user = await identity.createUser();
    for (const [index, email] of [user.email, 'nobody@example.com'].entries()) {
      const ip = `10.0.0.${index}`;
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, turn) => login(email, 'wrong', ip, turn % 2 ? replica : identity.issuer)),
      );
      expect(count(answers, 401)).toBe(10);
      const limited = answers.filter(({ status }) => status === 429);
      expect(limited).toHaveLength(20);
      for (const answer of limited) {
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(850);
        expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(900);
      }
      // Even with the right password: otherwise guessing could continue.
      expect((await login(email, password, ip)).status).toBe(429);
      // From another network the owner can log in.
      expect((await login(email, password, '10.9.9.9')).status).toBe(email === user.email ? 200 : 401);
    }
    const other = await identity.createUser();
    for (let round = 0; round < 3; round += 1) {
      for (let turn = 0; turn < 5; turn += 1) expect((await login(other.email, 'wrong', '10.0.1.1')).status).toBe(401);
      expect((await login(other.email, password, '10.0.1.1')).status).toBe(200);
    }
  });

  it('an account has 50 failures from all networks, and refuses a guess from a new one as well', async () => {
    const user = await identity.createUser();
    const replica = (await identity.startReplica()).url;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, turn) =>
        login(user.email, 'wrong', `10.2.0.${turn % 10}`, turn % 2 ? replica : identity.issuer),
      ),
    );
    expect([count(answers, 401), count(answers, 429)]).toEqual([50, 10]);
    expect((await login(user.email, 'wrong', '10.2.1.1')).status).toBe(429);
  });

  it('the addresses of one IPv6 /64 count as one, and IPv4 within IPv6 as IPv4', async () => {
    const user = await identity.createUser();
    const answers = await logins(12, user.email, 'wrong', (turn) => `2001:db8:7:7:${turn}::${turn}`);
    expect([count(answers, 401), count(answers, 429)]).toEqual([10, 2]);
    expect((await login(user.email, password, '2001:db8:7:8::1')).status).toBe(200);
    const other = await identity.createUser();
    const mapped = await logins(12, other.email, 'wrong', (turn) => (turn % 2 ? '10.3.0.1' : '::ffff:10.3.0.1'));
    expect([count(mapped, 401), count(mapped, 429)]).toEqual([10, 2]);
  });

  it('invalid addresses share a window', async () => {
    const user = await identity.createUser();
    const answers = await logins(12, user.email, 'wrong', (turn) => `made-up-${turn}`);
    expect([count(answers, 401), count(answers, 429)]).toEqual([10, 2]);
  });

  // Takes long: nearly a hundred passwords are hashed.
  it('right passwords are not refused, however many users log in at once', async () => {
    const crowded = await identity.startReplica({ LOGIN_FAILURES_PER_NETWORK: '12' });
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

  // Takes long: 120 passwords are hashed.
  it('logins that wait for others go on in the order in which they came, before later ones', async () => {
    const user = await identity.createUser();
    const answered: number[] = [];
    let sent = 0;
    // 60 at once, of which 10 are in flight and 50 wait. Then a new one for each answer.
    const send = async (): Promise<void> => {
      const turn = sent;
      sent += 1;
      expect((await login(user.email, password, '10.0.6.1')).status).toBe(200);
      answered.push(turn);
      if (sent < 120) await send();
    };
    await Promise.all(Array.from({ length: 60 }, send));
    // The first 60 come in any order, and a later one when those before it have come.
    const waitedLonger = answered.map((turn, place) => place - Math.max(turn, 59));
    // Those in flight at the same time end in any order.
    expect(Math.max(...waitedLonger)).toBeLessThan(30);
  }, 90_000);

  it('a login that is refused for lack of capacity is no failure', async () => {
    const busy = await identity.startReplica({
      PASSWORD_HASHES_WAITING: '1',
      LOGIN_FAILURES_PER_ACCOUNT_AND_NETWORK: '100',
      LOGIN_FAILURES_PER_ACCOUNT: '100',
    });
    const user = await identity.createUser();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => login(user.email, 'wrong', '10.0.5.1', busy.url)),
    );
    const judged = answers.filter(({ status }) => status === 401).length;
    const unjudged = answers.filter(({ status }) => status === 503).length;
    expect([unjudged > 1, judged + unjudged]).toEqual([true, 30]);
    // Only attempts whose password was checked count towards the limit.
    const strict = await identity.startReplica({ LOGIN_FAILURES_PER_ACCOUNT: String(judged + 1) });
    expect((await login(user.email, password, '10.0.5.2', strict.url)).status).toBe(200);
  });

  it('the window ends in time, and refused attempts do not extend it', async () => {
    const short = await identity.startReplica({
      LOGIN_WINDOW_SECONDS: '2',
      LOGIN_FAILURES_PER_ACCOUNT_AND_NETWORK: '2',
    });
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

  it('a network has 100 failures over all accounts, and refused attempts leave no rows behind', async () => {
    const strict = await identity.startReplica({ LOGIN_FAILURES_PER_NETWORK: '12' });
    const answers = [];
    for (let turn = 0; turn < 14; turn += 1) {
      answers.push((await login(`guess${turn}@example.com`, 'wrong', '10.0.3.1', strict.url)).status);
    }
    expect(answers).toEqual([...Array<number>(12).fill(401), 429, 429]);
    expect((await login('guess99@example.com', 'wrong', '10.0.3.2', strict.url)).status).toBe(401);
    const rows = async () =>
      Number((await sql.query<{ rows: string }>('select count(*) as rows from identity.attempt_window')).rows[0]!.rows);
    const audits = async () =>
      Number(
        (
          await sql.query<{ rows: string }>(
            `select count(*) as rows from identity.audit_event where event = 'login.throttled' and ip = '10.0.3.1'`,
          )
        ).rows[0]!.rows,
      );
    const [rowsBefore, auditsBefore] = [await rows(), await audits()];
    for (let turn = 0; turn < 20; turn += 1) await login(`more${turn}@example.com`, 'wrong', '10.0.3.1', strict.url);
    expect([await rows(), await audits()]).toEqual([rowsBefore, auditsBefore]);
    expect(auditsBefore).toBe(1);
  });

  it('a wrong password takes the same time for known and unknown accounts', async () => {
    // Processor time, with that of the hashing threads, because the clock would also measure other programs.
    const time = async (email: string) => {
      const started = process.cpuUsage();
      await login(email, 'wrong', `10.1.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`);
      const { user, system } = process.cpuUsage(started);
      return user + system;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    const users = await Promise.all(Array.from({ length: 9 }, () => identity.createUser({}, 'as always')));
    for (const [index, user] of users.entries()) {
      known.push(await time(user.email));
      unknown.push(await time(`unknown${index}@example.com`));
    }
    // Both compute one argon2id hash, some 20 ms; without that the difference would be more than tenfold. The minimum
    // of each, because other work in this process can only add time.
    const ratio = Math.min(...known) / Math.min(...unknown);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });
});

describe('known browsers', () => {
  let identity: Identity;
  let browsers = 0;
  let client: { clientId: string; clientSecret: string };
  beforeAll(async () => {
    identity = await startIdentity({ TRUST_PROXY: 'true' });
    client = await identity.createClient();
  });
  afterAll(() => identity.close());

  const login = (email: string, secret: string, ip: string, headers: Record<string, string> = {}) =>
    fetch(`${identity.issuer}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip, ...headers },
      body: JSON.stringify({ email, password: secret }),
    });
  /** Each at an address of its own. */
  const browser = (ip = `10.4.${(browsers += 1)}.1`): UserAgent => new UserAgent(identity.issuer, undefined, ip);
  /** The login page in a new browser. */
  const signInPage = (agent: UserAgent): Promise<Page> => {
    agent.forget('_session');
    agent.forget('_session.sig');
    return agent.visit(authorizationUrl(identity.issuer, { client }, makePkce()));
  };
  const signIn = async (agent: UserAgent, email: string, secret: string): Promise<Page> =>
    agent.submit(await signInPage(agent), 'submit', { email, password: secret });
  const knownBrowserOf = async (email: string, ip?: string): Promise<UserAgent> => {
    const agent = browser(ip);
    expect((await signIn(agent, email, password)).body).toContain('/confirm"');
    return agent;
  };
  /** Fills every window of the account that a stranger can fill, and the window of the browser's own network. */
  const attack = async (email: string) => {
    const answers = await Promise.all(Array.from({ length: 60 }, (_, turn) => login(email, 'wrong', `10.5.0.${turn}`)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(50);
  };

  it('log in while strangers keep the account locked', async () => {
    const user = await identity.createUser();
    const agent = await knownBrowserOf(user.email);
    await attack(user.email);
    expect((await signIn(browser(), user.email, password)).status).toBe(429);
    expect((await signIn(agent, user.email, password)).body).toContain('/confirm"');
    expect((await signIn(agent, user.email, 'wrong')).status).toBe(401);
  });

  it('log in while their network is at its limit', async () => {
    const user = await identity.createUser();
    const own = '10.8.0.1';
    const agent = await knownBrowserOf(user.email, own);
    const strangers = await Promise.all(
      Array.from({ length: 110 }, (_, turn) => login(`stranger${turn}@example.com`, 'wrong', own)),
    );
    expect(strangers.some(({ status }) => status === 429)).toBe(true);
    expect((await signIn(browser(own), user.email, password)).status).toBe(429);
    expect((await signIn(agent, user.email, password)).body).toContain('/confirm"');
  }, 60_000);

  it('have 10 failures of their own, which lock nobody else out', async () => {
    const user = await identity.createUser();
    const agent = await knownBrowserOf(user.email);
    const statuses: number[] = [];
    for (let turn = 0; turn < 12; turn += 1) statuses.push((await signIn(agent, user.email, 'wrong')).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    expect((await login(user.email, password, '10.6.0.1')).status).toBe(200);
  });

  it('have a cookie that scripts cannot read, for this account alone, and a forged one is worthless', async () => {
    const user = await identity.createUser();
    const other = await identity.createUser();
    const agent = browser();
    const page = await signInPage(agent);
    const { action, hidden } = formOf(page, 'submit');
    const answer = await agent.request(action, {
      method: 'POST',
      body: new URLSearchParams({ ...hidden, email: user.email, password }),
    });
    const line = answer.headers.getSetCookie().find((one) => one.startsWith('known_browser='));
    expect(line).toMatch(/^known_browser=[\w-]+\.[\w-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/);
    await Promise.all([attack(user.email), attack(other.email)]);
    expect((await signIn(agent, other.email, password)).status).toBe(429);
    const value = line!.slice('known_browser='.length).split(';')[0]!;
    const [content, signature] = value.split('.') as [string, string];
    const entries = JSON.parse(Buffer.from(content, 'base64url').toString()) as unknown[][];
    entries[0]![1] = other.id;
    const forged = Buffer.from(JSON.stringify(entries)).toString('base64url');
    for (const cookie of [`${forged}.${signature}`, `${content}.`, content, `${content}.${signature}x`, 'x.y', '.']) {
      const stranger = browser();
      const form = await signInPage(stranger);
      const target = cookie.startsWith(forged) ? other : user;
      const { action: to, hidden: fields } = formOf(form, 'submit');
      const cookies = `${stranger.cookieHeader(to)}; known_browser=${cookie}`;
      const refused = await fetch(identity.issuer + to, {
        method: 'POST',
        headers: { cookie: cookies, 'x-forwarded-for': '10.4.255.1' },
        body: new URLSearchParams({ ...fields, email: target.email, password }),
        redirect: 'manual',
      });
      expect([cookie, refused.status]).toEqual([cookie, 429]);
    }
  }, 60_000);

  it('are remembered for each account that logged in there', async () => {
    const users = await Promise.all([identity.createUser(), identity.createUser()]);
    const agent = browser();
    for (const { email } of users) expect((await signIn(agent, email, password)).body).toContain('/confirm"');
    for (const { email } of users) {
      await attack(email);
      expect((await signIn(agent, email, password)).body).toContain('/confirm"');
    }
  });

  it('are unknown again after a new password', async () => {
    const user = await identity.createUser();
    const agent = await knownBrowserOf(user.email);
    await identity.running.app.get(Users, { strict: false }).setPassword(user.email, 'another long password');
    await attack(user.email);
    expect((await signIn(agent, user.email, 'another long password')).status).toBe(429);
  });

  it('are not delayed by a flood of wrong passwords', async () => {
    const user = await identity.createUser();
    const agent = await knownBrowserOf(user.email);
    const page = await signInPage(agent);
    let judged = 0;
    const flood = Array.from({ length: 80 }, async (_, turn) => {
      const { status } = await login(`flood${turn}@example.com`, 'wrong', `10.7.${turn}.1`);
      if (status === 401) judged += 1;
    });
    while (judged === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const judgedBefore = judged;
    expect((await agent.submit(page, 'submit', { email: user.email, password })).body).toContain('/confirm"');
    // Its password is checked first or second. Loading the page takes a few more.
    expect(judged - judgedBefore).toBeLessThan(25);
    await Promise.all(flood);
    expect(judged).toBe(80);
  }, 60_000);
});
