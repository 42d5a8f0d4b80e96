import { testPool } from '@tradewind/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  authorizationUrl,
  decodeJwt,
  introspect,
  makePkce,
  obtainTokens,
  refresh,
  revoke,
  userinfo,
  type FlowClient,
} from './user-agent.js';

/** Counts the statements that a piece of work sends to PostgreSQL; each is one round trip. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its own `this` below
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
    const [query] = args as [string | { name?: string; text: string }];
    const text = typeof query === 'string' ? query : (query.name ?? query.text);
    if (!text.startsWith('set plan_cache_mode')) seen.push(text);
    // Every overload of the original, whatever it was called with.
    return (original as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return seen;
}

describe('the authorization code flow', () => {
  let identity: Identity;
  let user: User;
  let client: FlowClient;

  beforeAll(async () => {
    identity = await startIdentity({ CLEANUP_INTERVAL_SECONDS: '3600', SIGNING_KEY_POLL_SECONDS: '3600' });
    user = await identity.createUser();
    client = await identity.createClient();
  });
  afterAll(() => identity.close());

  const flow = (scope?: string) =>
    obtainTokens(identity.issuer, { client, email: user.email, password, ...(scope ? { scope } : {}) });

  it('ends with the tokens and claims of the specification', async () => {
    const tokens = await flow();
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: 'openid profile email' });
    expect(tokens).not.toHaveProperty('refresh_token');
    const { header, payload } = decodeJwt(tokens.access_token);
    expect(header).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
    expect(payload).toEqual({
      sub: user.id,
      iss: identity.issuer,
      aud: identity.issuer,
      exp: expect.any(Number),
      iat: expect.any(Number),
      jti: expect.any(String),
      client_id: client.clientId,
      scope: 'openid profile email',
      email: user.email,
      userRole: 'USER',
    });
    const me = await userinfo(identity.issuer, tokens.access_token);
    expect(await me.json()).toEqual({
      sub: user.id,
      name: 'Ada Lovelace',
      family_name: 'Lovelace',
      given_name: 'Ada',
      preferred_username: 'ada',
      userRole: 'USER',
      email: user.email,
      email_verified: true,
    });
    const seen = await introspect(identity.issuer, client, tokens.access_token);
    expect(seen.body).toEqual({
      active: true,
      scope: 'openid profile email',
      client_id: client.clientId,
      username: user.email,
      token_type: 'Bearer',
      exp: payload['exp'],
      iat: payload['iat'],
      sub: user.id,
      aud: identity.issuer,
      iss: identity.issuer,
      jti: payload['jti'],
    });
    const revoked = await revoke(identity.issuer, client, tokens.access_token);
    expect([revoked.status, revoked.body]).toEqual([200, { text: '' }]);
    expect((await userinfo(identity.issuer, tokens.access_token)).status).toBe(401);
    expect((await introspect(identity.issuer, client, tokens.access_token)).body).toEqual({ active: false });
  });

  it('takes at most 15 round trips to the database, from the request to the tokens', async () => {
    const statements = await statementsOf(() => flow('openid profile email offline_access'));
    expect(statements.length).toBeLessThanOrEqual(15);
  });

  it('takes two round trips a request, one to read and one to write, when someone is signed in', async () => {
    const { agent } = await flow();
    const again = () => obtainTokens(identity.issuer, { client, email: user.email, password, agent });
    expect(await statementsOf(again)).toEqual([
      'payload_find_for_authorization',
      expect.stringMatching(/^request_writes_\d+_relaxed$/),
      'payload_find',
      expect.stringMatching(/^request_writes_\d+$/),
    ]);
  });

  it('extends a session in use in steps of a hundredth of its life, and its cookie too', async () => {
    const sql = testPool({ connectionString: identity.databaseUrl, options: '-c search_path=identity', max: 1 });
    try {
      const { agent } = await flow();
      const stored = async () => {
        const { rows } = await sql.query<{ exp: number; version: string }>(
          `select extract(epoch from expires_at)::int as exp, xmin::text as version
             from oidc_payload where model = 'Session' and account_id = $1 order by expires_at desc limit 1`,
          [user.id],
        );
        return rows[0]!;
      };
      const again = async () => {
        const answer = await agent.visit(authorizationUrl(identity.issuer, { client }, makePkce()));
        expect(answer.headers.get('location')).toContain('code=');
        return answer.headers.getSetCookie().filter((line) => line.startsWith('_session='));
      };
      const first = await stored();
      expect(await again()).toEqual([]);
      expect(await stored()).toEqual(first);
      const hundredth = 1_209_600 / 100 + 60;
      await sql.query(
        `update oidc_payload set expires_at = expires_at - make_interval(secs => $2),
                payload = jsonb_set(payload::jsonb, '{exp}', to_jsonb((payload::jsonb ->> 'exp')::int - $2::int))::text
          where model = 'Session' and account_id = $1`,
        [user.id, hundredth],
      );
      expect(await again()).toHaveLength(1);
      expect((await stored()).exp).toBeGreaterThanOrEqual(first.exp);
    } finally {
      await sql.end();
    }
  });

  it('serves userinfo and introspection with one round trip each', async () => {
    const tokens = await flow('openid profile email offline_access');
    expect(await statementsOf(() => userinfo(identity.issuer, tokens.access_token))).toHaveLength(1);
    expect(await statementsOf(() => introspect(identity.issuer, client, tokens.access_token))).toHaveLength(1);
    const refreshed = await statementsOf(() => refresh(identity.issuer, client, tokens.refresh_token));
    expect(refreshed).toHaveLength(2);
  });
});
