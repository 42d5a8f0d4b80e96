import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import pg from 'pg';
import { SigningKeys } from '../src/signing-keys/signing-keys.service.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  authorizationUrl,
  authorize,
  decodeJwt,
  exchangeCode,
  introspect,
  makePkce,
  obtainTokens,
  refresh,
  userinfo,
  UserAgent,
  type FlowClient,
} from './user-agent.js';

describe('signing keys on two replicas', () => {
  let identity: Identity;
  let replica: Awaited<ReturnType<Identity['startReplica']>>;
  let client: FlowClient;
  let email: string;
  beforeAll(async () => {
    identity = await startIdentity({ SIGNING_KEY_POLL_SECONDS: '1' });
    replica = await identity.startReplica();
    client = await identity.createClient();
    email = (await identity.createUser()).email;
  });
  afterAll(() => identity.close());

  const keys = () => identity.running.app.get(SigningKeys, { strict: false });
  const tokens = () => obtainTokens(identity.issuer, { client, email, password, scope: 'openid email offline_access' });
  const kidOf = (token: string) => decodeJwt(token).header['kid'];
  const until = async (condition: () => Promise<boolean> | boolean) => {
    const deadline = Date.now() + 15_000;
    while (!(await condition())) {
      if (Date.now() > deadline) throw new Error('it did not happen');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('a rotation under load fails no request, and old tokens stay valid on both replicas', async () => {
    const before = await tokens();
    const first = keys().current.current.kid;
    expect(kidOf(before.access_token)).toBe(first);
    await until(async () => (await keys().list()).every(({ createdAt }) => Date.now() - createdAt.getTime() > 2100));

    const bases = [identity.issuer, replica.url];
    const failures: unknown[] = [];
    const seenKids = new Set<unknown>();
    let isRunning = true;
    const worker = async (index: number) => {
      let current = await tokens();
      for (let turn = index; isRunning; turn += 1) {
        const base = bases[turn % 2] as string;
        const other = bases[(turn + 1) % 2] as string;
        const next = await refresh(base, client, current.refresh_token);
        if (next.status !== 200) failures.push(['refresh', next.body]);
        else current = { ...next.body, agent: current.agent };
        seenKids.add(kidOf(current.access_token));
        const me = await userinfo(other, current.access_token);
        if (me.status !== 200) failures.push(['me', me.status, me.headers.get('www-authenticate')]);
        const seen = await introspect(base, client, current.access_token);
        if (seen.body['active'] !== true) failures.push(['introspection', seen.body]);
        const remote = createRemoteJWKSet(new URL(`${other}/oauth/jwks`));
        await jwtVerify(current.id_token, remote).catch((error: unknown) => failures.push(['jwks', String(error)]));
      }
    };
    const load = Promise.all([0, 1, 2].map(worker));
    await until(() => seenKids.has(first));
    const { kid } = await keys().rotate({});
    expect(kid).not.toBe(first);
    await until(() => seenKids.has(kid) && replica.app.get(SigningKeys, { strict: false }).current.current.kid === kid);
    await new Promise((resolve) => setTimeout(resolve, 500));
    isRunning = false;
    await load;
    expect(failures).toEqual([]);
    expect(seenKids).toEqual(new Set([first, kid]));
    for (const base of bases) expect((await userinfo(base, before.access_token)).status).toBe(200);
    const published = (await (await fetch(`${replica.url}/oauth/jwks`)).json()) as { keys: { kid: string }[] };
    expect(published.keys).toHaveLength(3);
  }, 60_000);

  it('a newly published key does not sign yet, unless forced', async () => {
    await keys().rotate({ force: true });
    await expect(keys().rotate({})).rejects.toThrow('published');
    const { kid } = await keys().rotate({ force: true });
    // A replica that has not polled yet receives a token of the new key and looks for that key.
    expect(kidOf((await tokens()).access_token)).toBe(kid);
  });

  it('the key rotates by age, once for all replicas', async () => {
    await query(
      `update identity.signing_key set created_at = now() - interval '1 hour', activated_at = now() - interval '91 days'`,
    );
    const before = keys().current.current.kid;
    await replica.app.get(SigningKeys, { strict: false }).refresh();
    // A pass knows only what it has read, so both replicas must have read the old date.
    const third = await identity.startReplica();
    await until(() => keys().current.current.kid !== before);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    const rows = await query(
      `select event from identity.audit_event where event = 'key.rotated' and details like '%"by":"age"%'`,
    );
    expect(rows).toHaveLength(1);
    await third.close();
  }, 60_000);

  it('dropping an expired key ends its JWTs, but no refresh tokens', async () => {
    const old = await tokens();
    await until(async () => (await keys().list()).every(({ createdAt }) => Date.now() - createdAt.getTime() > 2100));
    await keys().rotate({});
    await query(`update identity.signing_key set expires_at = now() where state = 'previous'`);
    await keys().refresh();
    expect((await userinfo(identity.issuer, old.access_token)).status).toBe(401);
    const refreshed = await refresh(identity.issuer, client, old.refresh_token);
    expect((await userinfo(identity.issuer, refreshed.body.access_token)).status).toBe(200);
  }, 60_000);

  it('private keys are encrypted in the table, and another storage key cannot read them', async () => {
    const rows = await query('select private_sealed from identity.signing_key');
    for (const row of rows) expect(String(row['private_sealed'])).toMatch(/^v1\.[\w-]+\.[\w-]+\.[\w-]+$/);
    await expect(identity.startReplica({ STORAGE_KEYS: 'a different key' })).rejects.toThrow('no storage key opens');
    const rotated = await identity.startReplica({ STORAGE_KEYS: 'a new key,dev-only-storage-key-not-for-production' });
    expect((await fetch(`${rotated.url}/oauth/jwks`)).status).toBe(200);
  });

  it('cookie keys rotate: a login that began under the old key completes under the new one', async () => {
    const rotated = await identity.startReplica({
      COOKIE_KEYS: 'new-cookie-key,dev-only-cookie-key-not-for-production',
    });
    const foreign = await identity.startReplica({ COOKIE_KEYS: 'new-cookie-key' });
    const pkce = makePkce();
    const agent = new UserAgent(identity.issuer);
    const page = await agent.visit(authorizationUrl(identity.issuer, { client, scope: 'openid' }, pkce));
    agent.useReplica(rotated.url);
    const consent = await agent.submit(page, 'submit', { email, password });
    const done = await agent.submit(consent, 'confirm');
    const code = new URL(done.headers.get('location') as string).searchParams.get('code') as string;
    expect((await exchangeCode(rotated.url, client, code, pkce)).status).toBe(200);
    agent.useReplica(foreign.url);
    const unknown = await agent.visit(
      authorizationUrl(identity.issuer, { client, parameters: { prompt: 'none' }, scope: 'openid' }, pkce),
    );
    expect(unknown.headers.get('location')).toContain('code=');
    const early = await authorize(identity.issuer, { client, email, password });
    early.agent.useReplica(foreign.url);
    const lost = await early.agent.visit(
      authorizationUrl(identity.issuer, { client, parameters: { prompt: 'none' }, scope: 'openid' }, pkce),
    );
    expect(lost.headers.get('location')).toContain('login_required');
  });

  async function query(sql: string): Promise<Record<string, unknown>[]> {
    const database = new pg.Client({ connectionString: identity.databaseUrl });
    await database.connect();
    try {
      const { rows } = await database.query<Record<string, unknown>>(sql);
      return rows;
    } finally {
      await database.end();
    }
  }
});
