// Users of a company: the claim in both kinds of token, and what a change of company or role ends.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Users } from '../src/operators/users.service.js';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { decodeJwt, obtainTokens, refresh, userinfo, type FlowClient } from './user-agent.js';

describe('users of a company', () => {
  let identity: Identity;
  let users: Users;
  let client: FlowClient;
  beforeAll(async () => {
    identity = await startIdentity();
    users = identity.running.app.get(Users, { strict: false });
    client = await identity.createClient();
  });
  afterAll(() => identity.close());

  const directToken = async ({ email }: User): Promise<string> => {
    const response = await fetch(`${identity.issuer}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    return ((await response.json()) as { token: string }).token;
  };
  const oauthTokens = ({ email }: User) =>
    obtainTokens(identity.issuer, { client, email, password, scope: 'openid offline_access' });
  const claimsOf = (token: string) => decodeJwt(token).payload;
  const statuses = async (direct: string, accessToken: string) => {
    const me = await fetch(`${identity.issuer}/auth/me`, { headers: { authorization: `Bearer ${direct}` } });
    return [me.status, (await userinfo(identity.issuer, accessToken)).status];
  };

  it('have a claim in access tokens and direct-login JWTs; others have none', async () => {
    const member = await identity.createUser({ companyId: 'acme' });
    expect(claimsOf(await directToken(member))['user_company_id']).toBe('acme');
    expect(claimsOf((await oauthTokens(member)).access_token)['user_company_id']).toBe('acme');
    const other = await identity.createUser();
    expect(claimsOf(await directToken(other))).not.toHaveProperty('user_company_id');
    expect(claimsOf((await oauthTokens(other)).access_token)).not.toHaveProperty('user_company_id');
  });

  it.each<[string, (user: User) => Promise<unknown>, string | undefined, string]>([
    ['another company', ({ email }) => users.setCompany(email, 'globex'), 'globex', 'USER'],
    ['no company', ({ email }) => users.setCompany(email, null), undefined, 'USER'],
    ['another role', ({ email }) => users.setRole(email, 'ANALYST'), 'acme', 'ANALYST'],
  ])('%s ends every token, and new ones have the new claims', async (_what, change, company, role) => {
    const user = await identity.createUser({ companyId: 'acme' });
    const [direct, tokens] = [await directToken(user), await oauthTokens(user)];
    expect(await statuses(direct, tokens.access_token)).toEqual([200, 200]);
    await change(user);
    expect(await statuses(direct, tokens.access_token)).toEqual([401, 401]);
    expect((await refresh(identity.issuer, client, tokens.refresh_token)).status).toBe(400);
    const claims = claimsOf(await directToken(user));
    expect([claims['user_company_id'], claims['userRole']]).toEqual([company, role]);
  });
});
