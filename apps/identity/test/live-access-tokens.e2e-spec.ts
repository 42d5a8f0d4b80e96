// Which access tokens are good this moment. Services ask that make something which outlives a token, and so does the
// administration API of identity.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallerAuth, serviceTokenEntry } from '@tradewind/service-kit';
import type { AccessTokenCheck } from '@tradewind/shared-types';
import { Users } from '../src/operators/users.service.js';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { obtainTokens, revoke, type FlowClient } from './user-agent.js';

const data = 'urn:tradewind:data';
const own = 'urn:tradewind:identity';

describe('access tokens that are good this moment', () => {
  let identity: Identity;
  let users: Users;
  let client: FlowClient;
  beforeAll(async () => {
    identity = await startIdentity({
      SERVICE_TOKENS: [
        serviceTokenEntry('token-of-the-gateway', { name: 'gateway', services: ['identity'] }),
        serviceTokenEntry('token-of-the-console', { name: 'console', services: ['identity-admin'] }),
      ].join(','),
    });
    users = identity.running.app.get(Users, { strict: false });
    client = await identity.createClient({ resources: [data, own] });
  });
  afterAll(() => identity.close());

  const tokensOf = ({ email }: User, resource = data, scope = 'openid offline_access') =>
    obtainTokens(identity.issuer, { client, email, password, scope, parameters: { resource } });
  const check = async (token: unknown) => {
    const response = await fetch(`${identity.issuer}/internal/access-tokens/check`, {
      method: 'POST',
      headers: { authorization: 'Bearer token-of-the-gateway', 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    return [response.status, (await response.json()) as AccessTokenCheck] as const;
  };
  const inactive = [200, { active: false }];

  it('are reported with their user and the version of the credentials', async () => {
    const user = await identity.createUser({ companyId: 'acme' });
    const { access_token: token } = await tokensOf(user);
    expect(await check(token)).toEqual([
      200,
      { active: true, user_id: user.id, email: user.email, user_company_id: 'acme', credentials_version: 1 },
    ]);
  });

  it.each<[string, (user: User, token: string) => Promise<unknown>]>([
    ['revoked', (_user, token) => revoke(identity.issuer, client, token)],
    ['of a user who was disabled', ({ email }) => users.disable(email)],
    ['of a user with a new password', ({ email }) => users.setPassword(email, 'another long password')],
    ['of a user with a new role', ({ email }) => users.setRole(email, 'ADMIN')],
    ['of a user with a new company', ({ email }) => users.setCompany(email, 'acme')],
    ['of a user who was deleted', ({ email }) => users.delete(email)],
  ])('are no longer active when they are %s', async (_name, end) => {
    const user = await identity.createUser();
    const { access_token: token } = await tokensOf(user);
    expect((await check(token))[1].active).toBe(true);
    await end(user, token);
    expect(await check(token)).toEqual(inactive);
  });

  it('end with the browser session that they belong to', async () => {
    const user = await identity.createUser();
    const { access_token: token, agent } = await tokensOf(user, data, 'openid');
    expect((await check(token))[1].active).toBe(true);
    const page = await agent.visit('/account');
    await agent.submit(page, 'account/sign-out');
    expect(await check(token)).toEqual(inactive);
  });

  it('are not ID tokens, refresh tokens or texts of any other kind', async () => {
    const tokens = await tokensOf(await identity.createUser());
    for (const token of [tokens.id_token, tokens.refresh_token, '', 'x', '\0', `${tokens.access_token}x`]) {
      expect(await check(token)).toEqual(inactive);
    }
    for (const token of [null, 7, ['x'], 'x'.repeat(8193)]) expect((await check(token))[0]).toBe(400);
  });

  it('let in callers of the administration API with its own resource, until they end; a token for the internal paths does not', async () => {
    const user = await identity.createUser({ role: 'ADMIN', companyId: 'acme' });
    const callers = identity.running.app.get(CallerAuth, { strict: false });
    const call = async (token: string) =>
      callers
        .authenticate({
          headers: { authorization: `Bearer ${token}` },
          ...{ method: 'GET', protocol: 'http', host: 'localhost', url: '/users' },
        })
        .catch((error: { status: number }) => error.status);
    const { access_token: token } = await tokensOf(user, own);
    expect(await call(token)).toEqual({ kind: 'user', userId: user.id, role: 'ADMIN', companyId: 'acme' });
    expect(await call('token-of-the-console')).toEqual({ kind: 'service', name: 'console' });
    expect(await call('token-of-the-gateway')).toBe(403);
    expect(await call((await tokensOf(user, data)).access_token)).toBe(401);
    await users.disable(user.email);
    expect(await call(token)).toBe(401);
  });
});
