// Replicas and clients whose clocks are off, and borders of the calendar. A clock that is off moves `Date` of this
// process during a request, never the clock of the database, so two requests are two replicas.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testPool, withClockAt, withClockOff } from '@tradewind/testkit';
import type pg from 'pg';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { authorize, exchangeCode, introspect, obtainTokens, refresh, userinfo, type FlowClient } from './user-agent.js';

const scope = 'openid offline_access';

describe('clocks', () => {
  let identity: Identity;
  let sql: pg.Pool;
  let user: User;
  let client: FlowClient;

  beforeAll(async () => {
    identity = await startIdentity({ REFRESH_TOKEN_REUSE_SECONDS: '10' });
    sql = testPool({ connectionString: identity.databaseUrl, options: '-c search_path=identity' });
    user = await identity.createUser();
    client = await identity.createClient();
  });
  afterAll(async () => {
    await sql.end();
    await identity.close();
  });

  const off = <T>(seconds: number, work: () => Promise<T>): Promise<T> => withClockOff(seconds * 1000, work);
  const newCode = () => authorize(identity.issuer, { client, email: user.email, password, scope });
  const newTokens = () => obtainTokens(identity.issuer, { client, email: user.email, password, scope });
  const redeem = ({ code, pkce }: Awaited<ReturnType<typeof newCode>>) =>
    exchangeCode(identity.issuer, client, code, pkce);
  const use = (refreshToken: string) => refresh(identity.issuer, client, refreshToken);
  const login = (loginPassword = password) =>
    fetch(`${identity.issuer}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: user.email, password: loginPassword }),
    });
  const profile = async (token: string) =>
    (await fetch(`${identity.issuer}/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status;

  it.each([
    [2, 0],
    [0, 2],
    [-5, 0],
    [0, -5],
  ])('what a replica makes that is %i s ahead works on one that is %i s ahead', async (makes, reads) => {
    const code = await off(makes, newCode);
    const redeemed = await off(reads, () => redeem(code));
    expect(redeemed.status).toBe(200);
    const { access_token: accessToken, refresh_token: refreshToken } = await off(makes, newTokens);
    const { token } = (await (await off(makes, login)).json()) as { token: string };
    await off(reads, async () => {
      expect((await userinfo(identity.issuer, accessToken)).status).toBe(200);
      expect((await introspect(identity.issuer, client, accessToken)).body).toMatchObject({ active: true });
      expect(await profile(token)).toBe(200);
      expect((await use(refreshToken)).status).toBe(200);
    });
  });

  it.each([-120, 120])('a code lives as long on a replica that is %i s ahead', async (seconds) => {
    const code = await off(seconds, newCode);
    const { rows } = await sql.query<{ seconds: number }>(
      `select extract(epoch from expires_at - now())::float8 as seconds from oidc_payload
        where model = 'AuthorizationCode' order by expires_at desc limit 1`,
    );
    expect(Math.round(rows[0]!.seconds / 10)).toBe(6);
    expect((await off(seconds, () => redeem(code))).status).toBe(200);
  });

  it('a code ends with its minute by the clock of the database', async () => {
    const code = await newCode();
    await sql.query(
      `update oidc_payload set expires_at = expires_at - interval '61 s' where model = 'AuthorizationCode'`,
    );
    expect((await redeem(code)).body).toMatchObject({ error: 'invalid_grant' });
  });

  it('tokens end with their lifetime, and a clock that goes back revives none', async () => {
    const { access_token: accessToken } = await newTokens();
    const { token } = (await (await login()).json()) as { token: string };
    const statuses = async () => [(await userinfo(identity.issuer, accessToken)).status, await profile(token)];
    expect(await off(890, statuses)).toEqual([200, 200]);
    expect(await off(901, statuses)).toEqual([401, 401]);
    expect(await off(896, statuses)).toEqual([200, 200]);
    await sql.query(`delete from oidc_payload where model = 'AccessToken'`);
    expect(await off(-5, statuses)).toEqual([401, 200]);
  });

  it.each([-12, -2, 2])('a lost refresh can be repeated when the clock of the replica is %i s off', async (seconds) => {
    const { refresh_token: refreshToken } = await newTokens();
    const first = await off(seconds, () => use(refreshToken));
    const again = await use(refreshToken);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.refresh_token).toBe(first.body.refresh_token);
  });

  it.each(['2026-12-31', '2028-02-28', '2028-02-29', '2027-02-28'])(
    'a sign-in before midnight of %s goes on after it',
    async (day) => {
      const code = await withClockAt(`${day}T23:59:58.000Z`, newCode);
      const tokens = await withClockAt(`${day}T23:59:59.999Z`, () => redeem(code));
      expect(tokens.status).toBe(200);
      await withClockOff(Date.parse(`${day}T23:59:59.999Z`) + 5000 - Date.now(), async () => {
        expect((await userinfo(identity.issuer, tokens.body.access_token)).status).toBe(200);
        expect((await use(tokens.body.refresh_token)).status).toBe(200);
      });
    },
  );

  it('failed log-ins count by the clock of the database: no clock of a replica frees them or locks for longer', async () => {
    const fail = () => login('wrong');
    for (let n = 0; n < 10; n += 1) expect((await off(n % 2 === 0 ? 0 : -5, fail)).status).toBe(401);
    for (const seconds of [0, -5, 5, 3600, -3600]) {
      const refused = await off(seconds, fail);
      expect(refused.status).toBe(429);
      const wait = Number(refused.headers.get('retry-after'));
      expect([wait > 800, wait <= 900]).toEqual([true, true]);
    }
    await sql.query(`update attempt_window set window_ends_at = window_ends_at - interval '15 minutes'`);
    expect((await off(-5, fail)).status).toBe(401);
  });
});
