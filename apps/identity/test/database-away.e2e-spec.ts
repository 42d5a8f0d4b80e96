// The database goes away and comes back: quick 503s in the form of each endpoint, no token without its row, and
// recovery without a restart. A relay between service and database simulates the outage.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Relay } from '@tradewind/testkit';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  authorizationUrl,
  authorize,
  exchangeCode,
  introspect,
  makePkce,
  obtainTokens,
  refresh,
  revoke,
  userinfo,
  UserAgent,
  type FlowClient,
} from './user-agent.js';

describe('without its database', () => {
  let identity: Identity;
  let relay: Relay;
  let base: string;
  let client: FlowClient;
  let email: string;
  beforeAll(async () => {
    identity = await startIdentity();
    const url = new URL(identity.databaseUrl);
    relay = await Relay.to(url);
    url.host = `127.0.0.1:${relay.port}`;
    base = (await identity.startReplica({ DATABASE_URL: url.href, MIGRATE_ON_START: 'false' })).url;
    client = await identity.createClient();
    email = (await identity.createUser()).email;
  });
  afterAll(async () => {
    relay.up();
    await identity.close();
    relay.close();
  });

  it('answers 503 quickly everywhere, and works again as soon as the database does', async () => {
    const tokens = await obtainTokens(identity.issuer, { client, email, password, scope: 'openid offline_access' });
    const pending = await authorize(identity.issuer, { client, email, password });
    const agent = new UserAgent(identity.issuer, base);
    const page = await agent.visit(authorizationUrl(identity.issuer, { client }, makePkce()));
    expect(page.body).toContain('/submit"');
    expect((await userinfo(base, tokens.access_token)).status).toBe(200);

    relay.down();
    const started = Date.now();
    const answers = await Promise.all([
      userinfo(base, tokens.access_token),
      fetch(`${base}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      }),
      fetch(`${base}/oauth/reg`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://a.example/cb'] }),
      }),
      fetch(authorizationUrl(base, { client }, makePkce()), {
        headers: { accept: 'application/json' },
        redirect: 'manual',
      }),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      const text = await answer.text();
      expect(text).not.toMatch(/ECONN|at .*:\d+|postgres|relay/i);
    }
    for (const answer of [
      await introspect(base, client, tokens.access_token),
      await revoke(base, client, tokens.access_token),
      await refresh(base, client, tokens.refresh_token),
      await exchangeCode(base, client, pending.code, pending.pkce),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([503, 'temporarily_unavailable']);
    }
    const login = await agent.submit(page, 'submit', { email, password });
    expect([login.status, login.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(login.body).toContain('not available right now');
    const browser = await agent.visit(authorizationUrl(identity.issuer, { client }, makePkce()));
    expect([browser.status, browser.headers.get('location')]).toEqual([503, null]);
    expect(Date.now() - started).toBeLessThan(10_000);
    // Endpoints that need no database still answer.
    for (const path of ['/.well-known/openid-configuration', '/oauth/jwks', '/health']) {
      expect((await fetch(base + path)).status).toBe(200);
    }
    expect((await fetch(`${base}/ready`)).status).toBe(503);

    relay.up();
    expect((await userinfo(base, tokens.access_token)).status).toBe(200);
    expect((await fetch(`${base}/ready`)).status).toBe(200);
    expect((await agent.submit(page, 'submit', { email, password })).body).toContain('/confirm"');
    // The failed requests had no effect: the code and the refresh token are still valid.
    expect((await exchangeCode(base, client, pending.code, pending.pkce)).status).toBe(200);
    expect((await refresh(base, client, tokens.refresh_token)).status).toBe(200);
  }, 60_000);
});
