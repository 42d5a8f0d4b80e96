import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  authorize,
  decodeJwt,
  exchangeCode,
  formOf,
  introspect,
  makePkce,
  authorizationUrl,
  obtainTokens,
  postForm,
  refresh,
  revoke,
  userinfo,
  UserAgent,
  type FlowClient,
  type TokenAnswer,
} from './user-agent.js';

describe('codes and refresh tokens on two replicas', () => {
  let identity: Identity;
  let replica: string;
  let user: User;
  let client: FlowClient;

  beforeAll(async () => {
    identity = await startIdentity();
    replica = (await identity.startReplica()).url;
    user = await identity.createUser();
    client = await identity.createClient();
  });
  afterAll(() => identity.close());

  const scope = 'openid offline_access';
  const tokens = () => obtainTokens(identity.issuer, { client, email: user.email, password, scope });
  const winners = (answers: TokenAnswer[]) => answers.filter(({ status }) => status === 200);
  const bothReplicas = (count: number, redeem: (base: string) => Promise<TokenAnswer>) =>
    Promise.all(Array.from({ length: count }, (_, index) => redeem(index % 2 ? replica : identity.issuer)));

  it('exactly one of 50 parallel redemptions of a code succeeds', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { code, pkce } = await authorize(identity.issuer, { client, email: user.email, password, scope });
      const answers = await bothReplicas(50, (base) => exchangeCode(base, client, code, pkce));
      expect(winners(answers)).toHaveLength(1);
      const losers = answers.filter(({ status }) => status !== 200);
      expect(new Set(losers.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
        new Set(['400 invalid_grant']),
      );
      // The other 49 used it again, which ends the grant and the tokens of the one that succeeded.
      const [winner] = winners(answers);
      expect((await userinfo(identity.issuer, winner!.body.access_token)).status).toBe(401);
      expect((await refresh(identity.issuer, client, winner!.body.refresh_token)).body.error).toBe('invalid_grant');
    }
  });

  it('exactly one of 50 parallel uses of a refresh token succeeds', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { refresh_token } = await tokens();
      const answers = await bothReplicas(50, (base) => refresh(base, client, refresh_token));
      expect(winners(answers)).toHaveLength(1);
    }
  });

  it('a code that is used again ends the grant and every token of it', async () => {
    const { code, pkce } = await authorize(identity.issuer, { client, email: user.email, password, scope });
    const first = await exchangeCode(identity.issuer, client, code, pkce);
    expect(first.status).toBe(200);
    const again = await exchangeCode(replica, client, code, pkce);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect((await userinfo(identity.issuer, first.body.access_token)).status).toBe(401);
    expect((await introspect(identity.issuer, client, first.body.access_token)).body).toEqual({ active: false });
    expect((await refresh(identity.issuer, client, first.body.refresh_token)).status).toBe(400);
  });

  it('a refresh token rotates, and one that is used again ends the grant', async () => {
    const first = await tokens();
    const second = await refresh(replica, client, first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    expect((await userinfo(identity.issuer, second.body.access_token)).status).toBe(200);
    const again = await refresh(identity.issuer, client, first.refresh_token);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect((await refresh(identity.issuer, client, second.body.refresh_token)).status).toBe(400);
    expect((await userinfo(identity.issuer, second.body.access_token)).status).toBe(401);
  });

  it('revoking a token of either kind ends its siblings', async () => {
    for (const kind of ['access_token', 'refresh_token'] as const) {
      const first = await tokens();
      const second = await refresh(identity.issuer, client, first.refresh_token);
      const revoked = await revoke(replica, client, second.body[kind]);
      expect([revoked.status, revoked.body]).toEqual([200, { text: '' }]);
      expect((await userinfo(identity.issuer, second.body.access_token)).status).toBe(401);
      expect((await userinfo(identity.issuer, first.access_token)).status).toBe(401);
      expect((await refresh(identity.issuer, client, second.body.refresh_token)).status).toBe(400);
    }
  });

  it('an interaction is answered once: one of two parallel resumes gets a code', async () => {
    const pkce = makePkce();
    const agent = new UserAgent(identity.issuer);
    const login = await agent.visit(authorizationUrl(identity.issuer, { client, scope: 'openid' }, pkce));
    const consent = await agent.submit(login, 'submit', { email: user.email, password });
    const form = formOf(consent, 'confirm');
    const confirmed = await agent.request(form.action, { method: 'POST', body: new URLSearchParams(form.hidden) });
    const resume = new URL(confirmed.headers.get('location') as string);
    const cookie = agent.cookieHeader(resume.pathname);
    const answers = await Promise.all(
      [identity.issuer, replica, identity.issuer, replica, identity.issuer, replica].map((base) =>
        fetch(base + resume.pathname, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' }),
      ),
    );
    const codes = answers.filter((answer) => answer.headers.get('location')?.includes('code='));
    expect(codes).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(5);
  });

  it('a disabled user and a deleted client lose all access at once', async () => {
    const { Users } = await import('../src/operators/users.service.js');
    const { Clients } = await import('../src/operators/clients.service.js');
    const gone = await identity.createUser();
    const mine = await obtainTokens(identity.issuer, { client, email: gone.email, password, scope });
    await identity.running.app.get(Users, { strict: false }).disable(gone.email);
    expect((await userinfo(replica, mine.access_token)).status).toBe(401);
    expect((await introspect(replica, client, mine.access_token)).body).toEqual({ active: false });
    expect((await refresh(replica, client, mine.refresh_token)).body.error).toBe('invalid_grant');
    await expect(obtainTokens(identity.issuer, { client, email: gone.email, password, scope })).rejects.toThrow('401');
    await expect(
      obtainTokens(identity.issuer, { client, email: gone.email, password, scope, agent: mine.agent }),
    ).rejects.toThrow('401');

    const auditor = await identity.createClient({ introspects: identity.issuer });
    const other = await identity.createClient();
    const theirs = await obtainTokens(identity.issuer, { client: other, email: user.email, password, scope });
    expect((await introspect(replica, auditor, theirs.access_token)).body).toMatchObject({ active: true });
    await identity.running.app.get(Clients, { strict: false }).delete(other.clientId);
    expect((await userinfo(replica, theirs.access_token)).status).toBe(401);
    expect((await introspect(replica, auditor, theirs.access_token)).body).toEqual({ active: false });
    expect((await refresh(replica, other, theirs.refresh_token)).body.error).toBe('invalid_client');
  });

  it('a row grants no access without the signed token that it belongs to', async () => {
    const { SignedTokens } = await import('../src/signing-keys/signed-tokens.js');
    const signed = identity.running.app.get(SignedTokens, { strict: false });
    const { access_token } = await tokens();
    const claims = decodeJwt(access_token).payload as { jti: string; exp: number };
    const [header, , signature] = access_token.split('.');
    const altered = Buffer.from(JSON.stringify({ ...claims, scope: 'openid email' })).toString('base64url');
    // The last but one is signed and has its row, but has expired. The last is of the wrong kind.
    for (const token of [
      claims.jti,
      `${header}.${altered}.${signature}`,
      await signed.sign('at+jwt', { ...claims, exp: Math.floor(Date.now() / 1000) - 1 }),
      await signed.sign('JWT', claims),
    ]) {
      expect((await userinfo(identity.issuer, token)).status).toBe(401);
      expect((await introspect(identity.issuer, client, token)).body).toEqual({ active: false });
      expect((await revoke(identity.issuer, client, token)).status).toBe(200);
    }
    expect((await userinfo(identity.issuer, access_token)).status).toBe(200);
  });

  it('the tables hold nothing that grants access', async () => {
    const { code, pkce, agent } = await authorize(identity.issuer, { client, email: user.email, password, scope });
    const { body } = await exchangeCode(identity.issuer, client, code, pkce);
    const cookie = agent.cookieHeader('/oauth/auth').match(/_session=([^;]+)/)?.[1] as string;
    const sql = new pg.Client({ connectionString: identity.databaseUrl, options: '-c search_path=identity' });
    await sql.connect();
    try {
      for (const secret of [code, body.refresh_token, body.access_token, body.id_token, cookie]) {
        expect(secret.length).toBeGreaterThan(20);
        const { rows } = await sql.query<{ payloads: number; audits: number }>(
          `select (select count(*)::int from oidc_payload p where position($1 in p::text) > 0) as payloads,
                  (select count(*)::int from audit_event a where position($1 in a::text) > 0) as audits`,
          [secret],
        );
        expect(rows).toEqual([{ payloads: 0, audits: 0 }]);
      }
    } finally {
      await sql.end();
    }
  });

  it('a public client can neither revoke nor inspect the tokens of others', async () => {
    const { access_token, refresh_token } = await tokens();
    const open = { ...(await identity.createClient({ authMethod: 'none' })), clientSecret: '' };
    for (const token of [access_token, refresh_token, 'unknown']) {
      const { clientId: client_id } = open;
      const revoked = await postForm(`${identity.issuer}/oauth/token/revocation`, { token, client_id });
      expect([revoked.status, revoked.body]).toEqual([200, { text: '' }]);
      const seen = await postForm(`${identity.issuer}/oauth/token/introspection`, { token, client_id });
      expect(seen.body).toEqual({ active: false });
    }
    expect((await userinfo(identity.issuer, access_token)).status).toBe(200);
    expect((await refresh(identity.issuer, client, refresh_token)).status).toBe(200);
  });

  it('only its own client, or the resource server of its audience, may introspect a token', async () => {
    const { access_token, refresh_token } = await tokens();
    const stranger = await identity.createClient();
    for (const token of [access_token, refresh_token]) {
      expect((await introspect(identity.issuer, stranger, token)).body).toEqual({ active: false });
      expect((await introspect(identity.issuer, client, token)).body).toMatchObject({
        active: true,
        username: user.email,
      });
      const attempt = await revoke(identity.issuer, stranger, token);
      expect([attempt.status, attempt.body.error]).toEqual([400, 'invalid_request']);
    }
    expect((await userinfo(identity.issuer, access_token)).status).toBe(200);
    for (const token of ['nonsense', 'a.b.c', '', `${access_token}x`, 'at~a.b.c', `at~.${access_token}`]) {
      if (token) expect((await introspect(identity.issuer, client, token)).body).toEqual({ active: false });
      if (token) expect((await revoke(identity.issuer, client, token)).status).toBe(200);
    }
  });
});

describe('the consent of a user', () => {
  it('is never outlived by a refresh token, however often that is renewed', async () => {
    const identity = await startIdentity({ GRANT_TTL_SECONDS: '600', CLEANUP_INTERVAL_SECONDS: '3600' });
    const sql = new pg.Client({ connectionString: identity.databaseUrl, options: '-c search_path=identity' });
    await sql.connect();
    try {
      const client = await identity.createClient();
      const { email } = await identity.createUser();
      const scope = 'openid offline_access';
      const first = await obtainTokens(identity.issuer, { client, email, password, scope });
      const second = await refresh(identity.issuer, client, first.refresh_token);
      const { rows } = await sql.query<{ model: string; end: number }>(
        `select model, (payload::json ->> 'exp')::int as end from oidc_payload where model in ('Grant', 'RefreshToken')`,
      );
      const grantEnds = rows.filter(({ model }) => model === 'Grant').map(({ end }) => end);
      const tokenEnds = rows.filter(({ model }) => model === 'RefreshToken').map(({ end }) => end);
      expect([grantEnds.length, tokenEnds.length]).toEqual([1, 2]);
      for (const end of tokenEnds) expect(end).toBeLessThanOrEqual(grantEnds[0]!);
      // The consent has expired now, the refresh token itself has not.
      await sql.query(`update oidc_payload set expires_at = now() where model = 'Grant'`);
      const late = await refresh(identity.issuer, client, second.body.refresh_token);
      expect([late.status, late.body.error]).toEqual([400, 'invalid_grant']);
    } finally {
      await sql.end();
      await identity.close();
    }
  });
});
