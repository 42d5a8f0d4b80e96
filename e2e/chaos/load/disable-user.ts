// Makes a user with an API key and a session, and disables the user as an operator.
import { makeKey, tryKey } from './api-keys.js';
import { end } from './ended-access.js';
import { refusedBy } from './load-client.js';
import type { Account, Ended, LoadKind } from './load.types.js';
import { oauthClient, exchange, signIn, type Tokens } from './sessions.js';

export const disableUser: LoadKind = {
  name: 'disabling of a user',
  async act(context) {
    const name = context.unique('user');
    const account = { email: `${name}@example.com`, password: `password-of-${name}`, keys: [] };
    const create = ['user', 'create', '--email', account.email, '--password-stdin'];
    if ((await context.command('identity', create, account.password)) !== 'ok') return;
    const key = await makeKey(context, account);
    const grant = await signIn(context, account);
    const tokens = grant && (await exchange(context, context.unique('session'), grant));
    if (key === undefined || tokens === undefined) return;
    await Promise.all([tryKey(context, key, [200]), tryKey(context, key, [200])]);
    await end(context, () => context.command('identity', ['user', 'disable', '--email', account.email]), [
      {
        kind: 'key of a disabled user',
        subject: account.email,
        attempt: (later) => tryKey(later, key, [200, 401]),
      },
      ...sessionOf(account, name, tokens),
    ]);
  },
};

function sessionOf({ email, password }: Account, name: string, tokens: Tokens): Ended[] {
  const kind = 'session of a disabled user';
  const { access_token: bearer, refresh_token } = tokens;
  // 429: the password was tried too often.
  const login = { expected: [401, 429], json: { email, password } };
  const userInfo = { expected: [401], bearer };
  const refresh = { expected: [400], form: { ...oauthClient, grant_type: 'refresh_token', refresh_token } };
  return [
    {
      ...{ kind, subject: `password of ${name}` },
      attempt: async ({ client }) => refusedBy([401, 429], await client.ask('identity', 'POST', '/auth/login', login)),
    },
    {
      ...{ kind, subject: `access token of ${name}` },
      attempt: async ({ client }) => refusedBy([401], await client.ask('identity', 'GET', '/oauth/me', userInfo)),
    },
    {
      ...{ kind, subject: `refresh token of ${name}` },
      attempt: async ({ client }) => refusedBy([400], await client.ask('identity', 'POST', '/oauth/token', refresh)),
    },
  ];
}
