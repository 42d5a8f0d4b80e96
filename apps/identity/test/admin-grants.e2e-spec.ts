// Administration of grants over REST: what users allowed clients to do.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/users.types.js';
import { Administration, machineOfAcmeToken, machineToken } from './administration.fixture.js';
import { password } from './identity.fixture.js';
import { obtainTokens, type FlowClient } from './user-agent.js';

interface GrantOfAnswer {
  id: string;
  user_id: string;
  client_id: string;
}

describe('administration of grants', () => {
  let api: Administration;
  let client: FlowClient;
  let user: User;
  beforeAll(async () => {
    api = await Administration.start();
    client = await api.identity.createClient({ resources: ['urn:tradewind:data'] });
    user = await api.identity.createUser({ companyId: 'acme' });
  });
  afterAll(() => api.identity.close());

  const send: Administration['send'] = (...given) => api.send(...given);
  const signIn = (given: { email: string } = user, parameters: Record<string, string> = {}) =>
    obtainTokens(api.identity.issuer, {
      ...{ client, email: given.email, password, scope: 'openid email offline_access' },
      parameters: { prompt: 'consent', ...parameters },
    });
  const grantsOf = async (token: string, query: string) =>
    (await api.everyPage(token, `/grants?${query}`, 'grants')) as unknown as GrantOfAnswer[];
  const userInfo = async (token: string) =>
    (await fetch(`${api.identity.issuer}/oauth/me`, { headers: { authorization: `Bearer ${token}` } })).status;

  it('shows what a client may do for a user, and ends it with its tokens', async () => {
    const tokens = await signIn();
    const [grant, ...others] = await grantsOf(machineToken, `user_id=${user.id}&client_id=${client.clientId}`);
    expect(others).toEqual([]);
    expect(grant).toEqual({
      ...{ id: expect.any(String), user_id: user.id, client_id: client.clientId },
      ...{ scope: 'openid email offline_access', resources: expect.any(Array), used_at: null },
      ...{ created_at: expect.stringMatching(/Z$/), expires_at: expect.stringMatching(/Z$/) },
    });
    expect(await userInfo(tokens.access_token)).toBe(200);
    const admin = await api.admin();
    expect((await send(admin.token, `POST /grants/${grant!.id}/end`)).status).toBe(204);
    expect(await userInfo(tokens.access_token)).toBe(401);
    const refresh = await fetch(`${api.identity.issuer}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
        ...{ client_id: client.clientId, client_secret: client.clientSecret },
      }),
    });
    expect([refresh.status, ((await refresh.json()) as { error: string }).error]).toEqual([400, 'invalid_grant']);
    expect(await grantsOf(machineToken, `user_id=${user.id}`)).toEqual([]);
    expect((await api.changesOf({ user: user.id })).at(-1)).toEqual([
      ...['grant.ended', admin.user.id, expect.stringContaining('127.0.0.1')],
    ]);
  });

  it('ends a grant once, however often it is asked at the same time', async () => {
    const other = await api.identity.createUser();
    await signIn(other);
    const [grant] = await grantsOf(machineToken, `user_id=${other.id}`);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => send(machineToken, `POST /grants/${grant!.id}/end`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404, 404, 404]);
    const changes = await api.changesOf({ user: other.id });
    expect(changes.filter((change) => (change as string[])[0] === 'grant.ended')).toHaveLength(1);
  });

  it('shows and ends grants of the users of its company alone, to a caller who belongs to one', async () => {
    const stranger = await api.identity.createUser({ companyId: 'globex' });
    await Promise.all([signIn(), signIn(stranger)]);
    expect((await send(machineOfAcmeToken, 'GET /grants')).body.message).toEqual([
      'user_id is required for a caller who belongs to a company',
    ]);
    expect(await grantsOf(machineOfAcmeToken, `user_id=${stranger.id}`)).toEqual([]);
    const [own] = await grantsOf(machineOfAcmeToken, `user_id=${user.id}`);
    const [others] = await grantsOf(machineToken, `user_id=${stranger.id}`);
    expect((await send(machineOfAcmeToken, `POST /grants/${others!.id}/end`)).status).toBe(404);
    expect(await grantsOf(machineToken, `user_id=${stranger.id}`)).toHaveLength(1);
    expect((await send(machineOfAcmeToken, `POST /grants/${own!.id}/end`)).status).toBe(204);
  });

  it('shows every grant once, page by page, and no grant of the account pages or of earlier credentials', async () => {
    const many = await api.identity.createUser();
    const insert = (clientId: string, count: number, version: string) =>
      api.query(
        `insert into oidc_payload (model, id, grant_id, client_id, payload, account_id, credentials_version, expires_at)
         select 'Grant', g || n, g || n, $1, '{"iat":1700000000}', $2::uuid, (select ${version} from user_account where id = $2),
                '2036-01-01T00:00:00Z'::timestamptz + (n / 3) * interval '1 microsecond'
           from generate_series(1, ${count}) n, (select md5($1::text || '${version}') as g) as prefix`,
        [clientId, many.id],
      );
    await insert('of-many', 25, 'credentials_version');
    await insert('of-many-2', 3, 'credentials_version - 1');
    await insert('tradewind-account', 3, 'credentials_version');
    const ofUser = await grantsOf(machineToken, `user_id=${many.id}&limit=4`);
    expect(new Set(ofUser.map(({ id }) => id)).size).toBe(25);
    expect(ofUser.every(({ client_id }) => client_id === 'of-many')).toBe(true);
    expect(await grantsOf(machineToken, 'client_id=of-many&limit=7')).toEqual(ofUser);
    expect(await grantsOf(machineToken, 'client_id=of-many-2')).toEqual([]);
    expect((await grantsOf(machineToken, 'limit=200')).map(({ id }) => id)).toEqual(
      expect.arrayContaining(ofUser.map(({ id }) => id)),
    );
  });

  it.each([
    ['user_id=x', 'user_id must be a UUID'],
    ['client_id=', 'client_id must be'],
    ['client_id=%00', 'client_id must be'],
    ['limit=0', 'limit must be'],
    ['cursor=x', 'cursor must be'],
    ['user=1', 'user should not exist'],
  ])('refuses a list with %s', async (query, message) => {
    const { status, body } = await send(machineToken, `GET /grants?${query}`);
    expect([status, [body.message].flat().join()]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each(['nothing', randomUUID(), 'x'.repeat(100), '%00', 'a%2Fb', '%F0%9F%9A%80'])(
    'ends nothing for the id %s',
    async (id) => {
      expect([400, 404]).toContain((await send(machineToken, `POST /grants/${id}/end`)).status);
    },
  );
});
