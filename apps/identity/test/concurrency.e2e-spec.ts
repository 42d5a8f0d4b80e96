// Many people, tabs and applications at once on two replicas. In any order of requests none gets a 500, and no tab
// loses its grants to another. CONCURRENT_STEPS sets the length.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  authorizationUrl,
  authorize,
  defaultRedirectUri,
  exchangeCode,
  formOf,
  introspect,
  makePkce,
  obtainTokens,
  refresh,
  revoke,
  userinfo,
  UserAgent,
  type FlowClient,
} from './user-agent.js';

const steps = Number(process.env['CONCURRENT_STEPS'] ?? 160);
const parallel = 16;

describe('everything at once on two replicas', () => {
  let identity: Identity;
  let bases: [string, string];
  let users: User[];
  let clients: FlowClient[];
  beforeAll(async () => {
    identity = await startIdentity({
      LOGIN_FAILURES_PER_NETWORK: '1000000',
      LOGIN_FAILURES_PER_ACCOUNT_AND_NETWORK: '1000000',
      LOGIN_FAILURES_PER_ACCOUNT: '1000000',
      REGISTRATIONS_PER_IP_PER_HOUR: '1000000',
      PASSWORD_HASHES_PARALLEL: '2',
    });
    bases = [identity.issuer, (await identity.startReplica({ PASSWORD_HASHES_PARALLEL: '2' })).url];
    users = [await identity.createUser(), await identity.createUser()];
    clients = [await identity.createClient(), await identity.createClient()];
  });
  afterAll(() => identity.close());

  const scope = 'openid offline_access';

  it('flows, refreshes, revocations, registrations and logins in any order never get a 500', async () => {
    const statuses = new Map<string, number>();
    const faults: string[] = [];
    const realFetch = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const response = await realFetch(input, init);
      const what = `${init?.method ?? 'GET'} ${new URL(input instanceof Request ? input.url : input).pathname.replace(/[\w-]{20,}/, ':id')}`;
      statuses.set(`${what} ${response.status}`, (statuses.get(`${what} ${response.status}`) ?? 0) + 1);
      // On a busy machine there may be no database connection in time; then the answer is 503.
      const isShed = response.status === 503 && response.headers.has('retry-after');
      if (response.status >= 500 && !isShed) faults.push(`${what} ${response.status} ${await response.clone().text()}`);
      return response;
    };
    // Shared by several workers, so that they compete.
    const agents = users.map(() => new UserAgent(identity.issuer));
    const refreshTokens: { token: string; client: FlowClient }[] = [];
    const accessTokens: { token: string; client: FlowClient }[] = [];
    const registered: { uri: string; token: string }[] = [];

    const acts: Record<string, (n: number, base: string) => Promise<unknown>> = {
      async flow(n, base) {
        const client = clients[n % clients.length] as FlowClient;
        const agent = n % 3 ? new UserAgent(identity.issuer, base) : (agents[n % agents.length] as UserAgent);
        const { email } = users[n % users.length] as User;
        // In a shared browser another flow may overtake the steps of this one, which then ends on a page.
        const done = await authorize(identity.issuer, { client, email, password, scope, agent }).catch(() => undefined);
        if (!done?.code) return;
        const { body } = await exchangeCode(base, client, done.code, done.pkce);
        if (body.refresh_token) refreshTokens.push({ token: body.refresh_token, client });
        if (body.access_token) accessTokens.push({ token: body.access_token, client });
      },
      async twins(n, base) {
        const client = clients[n % clients.length] as FlowClient;
        const { email } = users[n % users.length] as User;
        const { code, pkce } = await authorize(identity.issuer, { client, email, password, scope });
        await Promise.all([...bases, ...bases].map((one) => exchangeCode(one, client, code, pkce)));
        await introspect(base, client, code);
      },
      async refresh(n, base) {
        const one = refreshTokens[n % (refreshTokens.length || 1)];
        if (!one) return;
        const { body } = await refresh(base, one.client, one.token);
        if (body.refresh_token && n % 2) one.token = body.refresh_token;
      },
      async revoke(n, base) {
        const pool = n % 2 ? refreshTokens : accessTokens;
        const one = pool[n % (pool.length || 1)];
        if (one) await revoke(base, one.client, one.token);
      },
      async look(n, base) {
        const one = accessTokens[n % (accessTokens.length || 1)];
        if (one) await Promise.all([userinfo(base, one.token), introspect(base, one.client, one.token)]);
      },
      async login(n, base) {
        const { email } = users[n % users.length] as User;
        await Promise.all(
          Array.from({ length: 4 }, (_, index) =>
            fetch(`${base}/auth/login`, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ email, password: index === 3 ? 'wrong password' : password }),
            }),
          ),
        );
      },
      async register(_n, base) {
        const answer = await fetch(`${base}/oauth/reg`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ redirect_uris: [defaultRedirectUri] }),
        });
        const body = (await answer.json()) as { registration_client_uri: string; registration_access_token: string };
        if (answer.ok) registered.push({ uri: body.registration_client_uri, token: body.registration_access_token });
      },
      async manage(n, base) {
        const one = registered[n % (registered.length || 1)];
        if (!one) return;
        const method = n % 5 === 0 ? 'DELETE' : 'GET';
        const answers = await Promise.all(
          [1, 2].map(() =>
            fetch(one.uri.replace(identity.issuer, base), {
              method,
              headers: { authorization: `Bearer ${one.token}` },
            }),
          ),
        );
        for (const answer of answers) {
          if (answer.status === 200)
            one.token = ((await answer.json()) as { registration_access_token: string }).registration_access_token;
        }
      },
    };
    const names = Object.keys(acts);
    const plan = fc.sample(fc.tuple(fc.constantFrom(...names), fc.nat(1000), fc.constantFrom(...bases)), steps);
    try {
      await Promise.all(
        Array.from({ length: parallel }, async () => {
          for (let next = plan.pop(); next; next = plan.pop()) await acts[next[0]]?.(next[1], next[2]);
        }),
      );
    } finally {
      globalThis.fetch = realFetch;
    }
    expect(faults).toEqual([]);
    // The run did real work: each of these succeeded at least once.
    for (const expected of ['POST /oauth/token 200', 'POST /auth/login 200', 'POST /oauth/reg 201'])
      expect(statuses.get(expected) ?? 0).toBeGreaterThan(0);
  }, 300_000);

  it('tabs of one browser that finish at the same time all reach their application, and their tokens stay valid', async () => {
    const user = users[0] as User;
    for (let round = 0; round < 6; round += 1) {
      const agent = new UserAgent(identity.issuer);
      // A shared session, with an application of its own.
      const first = await identity.createClient();
      await obtainTokens(identity.issuer, { client: first, email: user.email, password, scope: 'openid', agent });
      const tabs = [];
      for (let tab = 0; tab < 4; tab += 1) {
        const client = await identity.createClient();
        const pkce = makePkce();
        const consent = await agent.visit(authorizationUrl(identity.issuer, { client, scope: 'openid' }, pkce));
        const form = formOf(consent, 'confirm');
        const confirmed = await agent.request(form.action, { method: 'POST', body: new URLSearchParams(form.hidden) });
        const resume = new URL(confirmed.headers.get('location') as string, identity.issuer);
        tabs.push({ client, pkce, resume, cookie: agent.cookieHeader(resume.pathname) });
      }
      const answers = await Promise.all(
        tabs.map(({ resume, cookie }, index) =>
          fetch((bases[index % 2] as string) + resume.pathname, {
            headers: { cookie, accept: 'text/html' },
            redirect: 'manual',
          }),
        ),
      );
      for (const [index, answer] of answers.entries()) {
        const { client, pkce } = tabs[index] as (typeof tabs)[number];
        const location = answer.headers.get('location');
        expect([answer.status, location?.split('?')[0] ?? (await answer.text())]).toEqual([303, defaultRedirectUri]);
        const code = new URL(location as string).searchParams.get('code') as string;
        const { status, body } = await exchangeCode(identity.issuer, client, code, pkce);
        expect(status).toBe(200);
        expect((await userinfo(identity.issuer, body.access_token)).status).toBe(200);
      }
    }
  }, 120_000);
});
