import { testPool } from '@tradewind/testkit';
// A new password, or disabling a user, ends everything that began earlier. A request that reads before the change and
// writes after it leaves nothing valid.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { Users } from '../src/operators/users.service.js';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  authorizationUrl,
  authorize,
  exchangeCode,
  formOf,
  makePkce,
  UserAgent,
  type FlowClient,
} from './user-agent.js';

const newPassword = 'another long password';
/** Any number that no other lock uses. */
const gate = 4711;

describe('new credentials while a request is in progress', () => {
  let identity: Identity;
  let users: Users;
  let client: FlowClient;
  let sql: pg.Pool;
  beforeAll(async () => {
    identity = await startIdentity({ CLEANUP_INTERVAL_SECONDS: '3600' });
    users = identity.running.app.get(Users, { strict: false });
    client = await identity.createClient();
    sql = testPool({ connectionString: identity.databaseUrl, options: '-c search_path=identity', max: 2 });
    // The database is dropped while connections may still be closing.
    // While the gate is held, a statement that stores such a row waits before it does.
    await sql.query(`
      create function wait_at_gate() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${gate}); return new; end $$;
      create trigger gate before insert on oidc_payload for each row execute function wait_at_gate();
      create trigger gate before insert on audit_event for each row when (new.event = 'login.succeeded')
        execute function wait_at_gate();
    `);
  });
  afterAll(async () => {
    await sql.end();
    await identity.close();
  });

  const isWaiting = async (condition: string, count = 1): Promise<boolean> => {
    const { rows } = await sql.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and ${condition}`,
    );
    return (rows[0]?.count ?? 0) >= count;
  };
  const until = async (isTrue: () => Promise<boolean> | boolean): Promise<void> => {
    // Far more than a slow machine needs; without a limit a failed test would never end.
    const endMs = performance.now() + 20_000;
    while (!(await isTrue())) {
      if (performance.now() > endMs) throw new Error(`waited in vain until ${String(isTrue)}`);
      await delay(10);
    }
  };

  /** Makes `change` happen after `request` has read everything and before it has written anything. */
  async function during<T>(request: () => Promise<T>, change: () => Promise<unknown>): Promise<T> {
    const holder = await sql.connect();
    try {
      await holder.query('select pg_advisory_lock($1)', [gate]);
      const answer = request();
      await until(() => isWaiting(`wait_event = 'advisory'`));
      let isChanged = false;
      const changed = change().then(() => (isChanged = true));
      // The change ends, or waits for a row that the request is writing, or at the gate.
      await until(
        async () =>
          isChanged ||
          (await isWaiting(`query like '%delete from oidc_payload where account_id%'`)) ||
          (await isWaiting(`wait_event = 'advisory'`, 2)),
      );
      await holder.query('select pg_advisory_unlock($1)', [gate]);
      await changed;
      return await answer;
    } finally {
      await holder.query('select pg_advisory_unlock_all()');
      holder.release();
    }
  }

  const changes: [string, (user: User) => Promise<unknown>][] = [
    ['a new password', (user) => users.setPassword(user.email, newPassword)],
    [
      'disabling the user',
      async (user) => {
        await users.disable(user.email);
        // What has ended stays ended.
        await users.enable(user.email);
      },
    ],
    ['deleting the user', (user) => users.delete(user.email)],
    ['another company', (user) => users.setCompany(user.email, 'globex')],
    ['another role', (user) => users.setRole(user.email, 'ANALYST')],
  ];

  const start = async () => {
    const user = await identity.createUser();
    const agent = new UserAgent(identity.issuer);
    const page = await agent.visit(authorizationUrl(identity.issuer, { client }, makePkce()));
    const form = formOf(page, 'submit');
    const submit = () =>
      agent.request(form.action, {
        method: 'POST',
        body: new URLSearchParams({ ...form.hidden, email: user.email, password }),
      });
    const isSignedOut = async () =>
      (await agent.visit(authorizationUrl(identity.issuer, { client }, makePkce()))).body.includes('/submit"');
    return { user, agent, submit, isSignedOut };
  };

  it.each(changes)('%s: a login in progress fails', async (_what, change) => {
    const { user, agent, submit, isSignedOut } = await start();
    const { headers } = await during(submit, () => change(user));
    const next = await agent.visit(headers.get('location') as string);
    expect(next.status).toBe(400);
    expect(await isSignedOut()).toBe(true);
  });

  it.each(changes)('%s: a session that is being opened is invalid', async (_what, change) => {
    const { user, agent, submit, isSignedOut } = await start();
    const { headers } = await submit();
    const resumed = await during(
      () => agent.request(headers.get('location') as string),
      () => change(user),
    );
    expect((await agent.visit(resumed.headers.get('location') as string)).status).toBe(400);
    expect(await isSignedOut()).toBe(true);
  });

  it.each(changes)('%s: a session that is being replaced ends', async (_what, change) => {
    const user = await identity.createUser();
    const { agent } = await authorize(identity.issuer, { client, email: user.email, password });
    const other = await identity.createClient();
    const consent = await agent.visit(authorizationUrl(identity.issuer, { client: other }, makePkce()));
    const form = formOf(consent, 'confirm');
    const confirmed = await agent.request(form.action, { method: 'POST', body: new URLSearchParams(form.hidden) });
    const resume = confirmed.headers.get('location') as string;
    await during(
      () => agent.request(resume),
      () => change(user),
    );
    const next = await agent.visit(authorizationUrl(identity.issuer, { client: other }, makePkce()));
    expect(next.body).toContain('/submit"');
  });

  it.each(['its own browser', 'another browser'])(
    'signing out in %s: the session that is being replaced ends, and its code is worthless',
    async (where) => {
      const user = await identity.createUser();
      const { agent } = await authorize(identity.issuer, { client, email: user.email, password });
      const question = formOf(await agent.visit('/oauth/session/end'), 'confirm');
      const elsewhere = new UserAgent(identity.issuer);
      await elsewhere.submit(await elsewhere.visit('/account'), 'submit', { email: user.email, password });
      const list = await elsewhere.visit('/account/sessions');
      const other = await identity.createClient();
      const pkce = makePkce();
      const consent = await agent.visit(authorizationUrl(identity.issuer, { client: other }, pkce));
      const form = formOf(consent, 'confirm');
      const confirmed = await agent.request(form.action, { method: 'POST', body: new URLSearchParams(form.hidden) });
      const cookie = agent.cookieHeader('/oauth/session/end/confirm');
      const signOut = () =>
        where === 'another browser'
          ? elsewhere.submit(list, 'end')
          : fetch(question.action, {
              method: 'POST',
              headers: { cookie },
              body: new URLSearchParams({ ...question.hidden, logout: 'yes' }),
              redirect: 'manual',
            });
      const resumed = await during(() => agent.request(confirmed.headers.get('location') as string), signOut);
      const code = new URL(resumed.headers.get('location') ?? '').searchParams.get('code') ?? '';
      expect(code).not.toBe('');
      expect((await exchangeCode(identity.issuer, other, code, pkce)).status).toBe(400);
      const next = await agent.visit(authorizationUrl(identity.issuer, { client }, makePkce()));
      expect(next.body).toContain('/submit"');
    },
  );

  it.each(changes)('%s: the JWT of a direct login in progress is invalid', async (_what, change) => {
    const user = await identity.createUser();
    const login = async () =>
      (await (
        await fetch(`${identity.issuer}/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: user.email, password }),
        })
      ).json()) as { token: string };
    const me = ({ token }: { token: string }) =>
      fetch(`${identity.issuer}/auth/me`, { headers: { authorization: `Bearer ${token}` } });
    const token = await during(login, () => change(user));
    expect((await me(token)).status).toBe(401);
  });
});
