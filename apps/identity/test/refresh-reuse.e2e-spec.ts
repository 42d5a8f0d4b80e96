// REFRESH_TOKEN_REUSE_SECONDS on two replicas; without it, using a refresh token again is strict:
// single-use.e2e-spec.ts.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Users } from '../src/operators/users.service.js';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  introspect,
  obtainTokens,
  postForm,
  refresh,
  revoke,
  userinfo,
  type FlowClient,
  type TokenAnswer,
} from './user-agent.js';

describe('a refresh token that comes a second time, with the grace on', () => {
  let identity: Identity;
  let replica: string;
  let user: User;
  let client: FlowClient;

  beforeAll(async () => {
    identity = await startIdentity({ REFRESH_TOKEN_REUSE_SECONDS: '3' });
    replica = (await identity.startReplica()).url;
    user = await identity.createUser();
    client = await identity.createClient();
  });
  afterAll(() => identity.close());

  const tokens = () =>
    obtainTokens(identity.issuer, { client, email: user.email, password, scope: 'openid offline_access' });
  const again = (token: string, base = replica): Promise<TokenAnswer> => refresh(base, client, token);
  const query = async (text: string): Promise<Record<string, unknown>[]> => {
    const database = new pg.Client({ connectionString: identity.databaseUrl });
    await database.connect();
    const { rows } = await database.query<Record<string, unknown>>(text);
    await database.end();
    return rows;
  };
  const isOver = async (token: string): Promise<boolean> =>
    JSON.stringify((await introspect(identity.issuer, client, token)).body) === '{"active":false}';

  it('parallel refreshes all get the same successor', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { refresh_token } = await tokens();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => again(refresh_token, index % 2 ? replica : identity.issuer)),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
      expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1);
      const [{ body }] = answers as [TokenAnswer];
      expect(body.refresh_token).not.toBe(refresh_token);
      expect((await userinfo(replica, body.access_token)).status).toBe(200);
      expect((await again(body.refresh_token)).status).toBe(200);
    }
  });

  it('a repeat on another replica gets the same answer, and the grant stays valid', async () => {
    const { refresh_token } = await tokens();
    const first = await again(refresh_token, identity.issuer);
    const second = await again(refresh_token);
    expect(second.status).toBe(200);
    expect(second.headers.get('cache-control')).toContain('no-store');
    const { expires_in: left, ...rest } = second.body;
    expect({ ...rest, expires_in: first.body.expires_in }).toEqual(first.body);
    expect(left).toBeLessThanOrEqual(first.body.expires_in);
    // The successor was used in the meantime, so a client that lost the first answer catches up step by step.
    const third = await again(first.body.refresh_token);
    expect((await again(refresh_token)).body.refresh_token).toBe(first.body.refresh_token);
    expect((await again(first.body.refresh_token)).body.refresh_token).toBe(third.body.refresh_token);
    expect(await isOver(third.body.refresh_token)).toBe(false);
  });

  it('a repeat after the grace ends the grant', async () => {
    const { refresh_token } = await tokens();
    const { body } = await again(refresh_token);
    await sleep(3200);
    const late = await again(refresh_token);
    expect([late.status, late.body.error]).toEqual([400, 'invalid_grant']);
    expect(await isOver(body.refresh_token)).toBe(true);
    expect((await userinfo(replica, body.access_token)).status).toBe(401);
  });

  it('a repeat by another client gets nothing', async () => {
    const { refresh_token } = await tokens();
    await again(refresh_token);
    const thief = await refresh(replica, await identity.createClient(), refresh_token);
    expect([thief.status, thief.body.error]).toEqual([400, 'invalid_grant']);
    const unauthenticated = await refresh(replica, { ...client, clientSecret: 'wrong' }, refresh_token);
    expect([unauthenticated.status, unauthenticated.body.error]).toEqual([401, 'invalid_client']);
  });

  it('a request for other scopes or resources is no repeat', async () => {
    const { refresh_token } = await tokens();
    await again(refresh_token);
    const other = await postForm(`${replica}/oauth/token`, {
      grant_type: 'refresh_token',
      refresh_token,
      scope: 'openid',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    });
    expect([other.status, other.body.error]).toEqual([400, 'invalid_grant']);
  });

  it('whatever ends the tokens ends the grace', async () => {
    const users = identity.running.app.get(Users, { strict: false });
    for (const end of [
      async (answer: TokenAnswer) => void (await revoke(identity.issuer, client, answer.body.access_token)),
      async (answer: TokenAnswer) => void (await revoke(identity.issuer, client, answer.body.refresh_token)),
      async () => void (await users.setPassword(user.email, password)),
      async () => {
        await users.disable(user.email);
        await users.enable(user.email);
      },
    ]) {
      const { refresh_token } = await tokens();
      await end(await again(refresh_token));
      const repeated = await again(refresh_token);
      expect([repeated.status, repeated.body.error]).toEqual([400, 'invalid_grant']);
    }
  });

  it('answers are stored encrypted, and no longer than the grace', async () => {
    const { refresh_token } = await tokens();
    const { body } = await again(refresh_token);
    const rows = await query('select p::text as row from identity.oidc_payload p');
    const all = rows.map(({ row }) => String(row)).join('\n');
    expect(all).toContain('RefreshSuccessor');
    for (const secret of [body.refresh_token, body.access_token, body.id_token, refresh_token]) {
      expect(all).not.toContain(secret);
    }
    const [{ longest }] = (await query(
      `select extract(epoch from max(expires_at) - now())::float8 as longest from identity.oidc_payload where model = 'RefreshSuccessor'`,
    )) as [{ longest: number }];
    expect(longest).toBeLessThanOrEqual(3);
  });
});
