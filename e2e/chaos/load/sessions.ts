// Signs in with the OAuth code flow, as a browser and a client would, and uses the session. There are refreshes, double
// clicks, a code that is used twice, the replay of an old token, and a revocation. At the end it asks which tokens are
// active.
import { createHash, randomBytes } from 'node:crypto';
import { SignInPages } from '@tradewind/testkit';
import { resultOf, type Reply } from './load-client.js';
import type { Account, LoadContext, LoadKind } from './load.types.js';

export const oauthClient = { client_id: 'chaos-client', client_secret: 'chaos-secret' };
/** Nobody listens there: the callback is read from the redirect. */
export const redirectUri = 'http://localhost:4999/callback';
/** The last token of each session, to be looked up at the end. */
const lastTokens = new Map<string, string>();
const checkedTogether = 10;

export interface Tokens {
  access_token: string;
  refresh_token: string;
}

export const sessions: LoadKind = {
  name: 'sign-in, refresh, revoke',

  async act(context) {
    const session = context.unique('session');
    const grant = await signIn(context, context.random.pick(context.accounts));
    if (grant === undefined) return;
    const isDouble = context.random.oneIn(6);
    const exchanged = await Promise.all(
      Array.from({ length: isDouble ? 2 : 1 }, () => exchange(context, session, grant)),
    );
    const first = exchanged.find((one) => one !== undefined)?.refresh_token;
    let token = first;
    if (first === undefined) return;
    for (let refreshes = context.random.integer(0, 4); refreshes > 0 && token !== undefined; refreshes -= 1) {
      lastTokens.set(session, token);
      const current: string = token;
      const clicks = context.random.oneIn(6) ? 2 : 1;
      const successors = await Promise.all(Array.from({ length: clicks }, () => refresh(context, session, current)));
      token = successors.find((one) => one !== undefined)?.refresh_token;
    }
    if (token === undefined) return;
    lastTokens.set(session, token);
    if (token !== first && context.random.oneIn(6)) await refresh(context, session, first);
    if (context.random.oneIn(4)) {
      const reply = await context.client.ask('identity', 'POST', '/oauth/token/revocation', {
        expected: [200],
        form: { ...oauthClient, token },
      });
      context.tell({ what: 'token', session, token, use: 'revoke', result: resultOf(reply) });
    }
  },

  async close({ client, tell }) {
    const all = [...lastTokens];
    for (let first = 0; first < all.length; first += checkedTogether) {
      const some = all.slice(first, first + checkedTogether);
      await Promise.all(
        some.map(async ([session, token]) => {
          const reply = await client.ask<{ active: boolean }>('identity', 'POST', '/oauth/token/introspection', {
            expected: [200],
            form: { ...oauthClient, token },
          });
          if (reply.body === undefined) return;
          tell({ what: 'token', session, token, use: 'check', result: reply.body.active ? 'ok' : 'refused' });
        }),
      );
    }
    lastTokens.clear();
  },
};

interface Grant {
  code: string;
  verifier: string;
}

export async function signIn({ client, issuer, tell }: LoadContext, account: Account): Promise<Grant | undefined> {
  const verifier = randomBytes(32).toString('base64url');
  const authorization = new URL(`${issuer}/oauth/auth`);
  authorization.search = new URLSearchParams({
    ...{ response_type: 'code', client_id: oauthClient.client_id, redirect_uri: redirectUri },
    ...{ scope: 'openid email offline_access', state: randomBytes(8).toString('hex') },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const atMs = Date.now();
  const record = { atMs, service: 'identity', request: 'sign-in pages' } as const;
  try {
    const callback = await new SignInPages(account).follow(authorization);
    const code = callback.searchParams.get('code');
    client.record({ ...record, status: 200, isExpected: code !== null, text: code === null ? callback.search : '' });
    for (const what of ['login', 'consent'] as const) tell({ what, result: code === null ? 'unknown' : 'ok' });
    return code === null ? undefined : { code, verifier };
  } catch (error) {
    const { message } = error as Error;
    const answered = /answered (\d{3})/.exec(message)?.[1];
    client.record({ ...record, status: answered ? Number(answered) : null, isExpected: false, text: message });
    // Either may have happened before.
    for (const what of ['login', 'consent'] as const) tell({ what, result: 'unknown' });
    return undefined;
  }
}

export async function exchange(
  context: LoadContext,
  session: string,
  { code, verifier }: Grant,
): Promise<Tokens | undefined> {
  const reply = await context.client.ask<Tokens>('identity', 'POST', '/oauth/token', {
    // 400: the code was used before.
    expected: [200, 400],
    form: {
      ...oauthClient,
      ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
    },
  });
  return successor(context, session, code, reply);
}

async function refresh(context: LoadContext, session: string, token: string): Promise<Tokens | undefined> {
  const reply = await context.client.ask<Tokens>('identity', 'POST', '/oauth/token', {
    // 400: it was used before, by a double click.
    expected: [200, 400],
    form: { ...oauthClient, grant_type: 'refresh_token', refresh_token: token },
  });
  return successor(context, session, token, reply);
}

function successor({ tell }: LoadContext, session: string, token: string, reply: Reply<Tokens>): Tokens | undefined {
  tell({ what: 'token', session, token, use: 'exchange', result: resultOf(reply) });
  return reply.status === 200 ? reply.body : undefined;
}
