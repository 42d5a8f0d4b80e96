// What users do on their account pages: a new password, the end of another session, the end of an application's access.
// Whatever that ended is tried again at once, and later by `useEnded`.
import { end } from './ended-access.js';
import { refusedBy } from './load-client.js';
import type { Account, Ended, LoadContext, LoadKind } from './load.types.js';
import { isLogin, type Page, PageBrowser } from './page-browser.js';
import { exchange, oauthClient, signIn } from './sessions.js';

const kind = 'ended by its user';

export const accountPages: LoadKind = {
  name: 'account pages',
  async act(context) {
    const name = context.unique('owner');
    const account = { email: `${name}@example.com`, password: `password-of-${name}`, keys: [] };
    const create = ['user', 'create', '--email', account.email, '--password-stdin'];
    if ((await context.command('identity', create, account.password)) !== 'ok') return;
    const acts = [setPassword, endSession, revokeApplication];
    await context.random.pick(acts)(context, account, name);
  },
};

async function setPassword(context: LoadContext, account: Account, name: string): Promise<void> {
  const { email, password } = account;
  const browser = await signedIn(context, account);
  const page = await browser?.visit('/account/password');
  if (!browser || !page) return;
  const fields = { password, new_password: `new-${password}`, repeated: `new-${password}` };
  // 429: the password was tried too often.
  const login = { expected: [401, 429], json: { email, password } };
  await change(context, 'password', name, () => browser.submit(page, 'password', fields), [
    {
      ...{ kind, subject: `password of ${name}` },
      attempt: async ({ client }) => refusedBy([401, 429], await client.ask('identity', 'POST', '/auth/login', login)),
    },
  ]);
}

async function endSession(context: LoadContext, account: Account, name: string): Promise<void> {
  const other = await signedIn(context, account);
  const browser = await signedIn(context, account);
  const page = await browser?.visit('/account/sessions');
  if (!browser || !other || !page) return;
  await change(context, 'session', name, () => browser.submit(page, 'sessions/end'), [
    {
      ...{ kind, subject: `session of ${name}` },
      attempt: async () => {
        const seen = await other.visit('/account');
        if (seen.status === null || seen.status >= 500) return 'unknown';
        return isLogin(seen) ? 'refused' : 'ok';
      },
    },
  ]);
}

async function revokeApplication(context: LoadContext, account: Account, name: string): Promise<void> {
  const grant = await signIn(context, account);
  const tokens = grant && (await exchange(context, context.unique('session'), grant));
  const browser = tokens && (await signedIn(context, account));
  const page = await browser?.visit('/account/applications');
  if (!tokens || !browser || !page) return;
  const { access_token: bearer, refresh_token } = tokens;
  const form = { ...oauthClient, grant_type: 'refresh_token', refresh_token };
  await change(context, 'application', name, () => browser.submit(page, 'applications/revoke'), [
    {
      ...{ kind, subject: `access token of ${name}` },
      attempt: async ({ client }) =>
        refusedBy([401], await client.ask('identity', 'GET', '/oauth/me', { expected: [401], bearer })),
    },
    {
      ...{ kind, subject: `refresh token of ${name}` },
      attempt: async ({ client }) =>
        refusedBy([400], await client.ask('identity', 'POST', '/oauth/token', { expected: [400], form })),
    },
  ]);
}

async function signedIn({ client, issuer, tell }: LoadContext, account: Account): Promise<PageBrowser | undefined> {
  const browser = new PageBrowser(issuer, client);
  const page = await browser.signIn(account);
  const isIn = page?.status === 200 && !isLogin(page);
  tell({ what: 'login', result: isIn ? 'ok' : 'unknown' });
  return isIn ? browser : undefined;
}

/** The page after a change says that it is done: `done` in its address. */
async function change(
  context: LoadContext,
  what: 'password' | 'session' | 'application',
  user: string,
  submit: () => Promise<Page | undefined>,
  endings: readonly Ended[],
): Promise<void> {
  const command = async () => {
    const page = await submit();
    const result = page?.status === 200 && /[?&]done=(?!gone)/.test(page.path) ? 'ok' : 'unknown';
    context.tell({ what: 'account change', change: what, user, result });
    return result;
  };
  await end(context, command, endings);
}
