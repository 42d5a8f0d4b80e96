// Signs in with the OAuth code flow, as a browser and a client would, and uses the session: refreshes, double clicks,
// a code that is used twice, a revocation. At the end it asks which tokens are still active.
import { createHash, randomBytes } from 'node:crypto';
import { SignInPages } from '@tradewind/testkit';
import { resultOf, type Reply } from './load-client.js';
import type { LoadContext, LoadKind } from './load.types.js';

const demoClient = { client_id: 'demo-client', client_secret: 'demo-secret' };
const redirectUri = 'http://localhost:4999/callback';
/** The last token of each session, to be looked up at the end. */
const lastTokens = new Map<string, string>();

interface Tokens {
  refresh_token: string;
}

export const sessions: LoadKind = {
  name: 'sign-in, refresh, revoke',

  async act(context) {
    const session = context.unique('session');
    const grant = await signIn(context);
    if (grant === undefined) return;
    const isDouble = context.random.oneIn(6);
    const exchanged = await Promise.all(
      Array.from({ length: isDouble ? 2 : 1 }, () => exchange(context, session, grant)),
    );
    let token = exchanged.find((one) => one !== undefined);
    if (token === undefined) return;
    for (let refreshes = context.random.integer(0, 4); refreshes > 0 && token !== undefined; refreshes -= 1) {
      lastTokens.set(session, token);
      const current: string = token;
      const clicks = context.random.oneIn(6) ? 2 : 1;
      const successors = await Promise.all(Array.from({ length: clicks }, () => refresh(context, session, current)));
      token = successors.find((one) => one !== undefined);
    }
    if (token === undefined) return;
    lastTokens.set(session, token);
    if (context.random.oneIn(4)) {
      const reply = await context.client.ask('identity', 'POST', '/oauth/token/revocation', {
        expected: [200],
        form: { ...demoClient, token },
      });
      context.tell({ what: 'token', session, token, use: 'revoke', result: resultOf(reply) });
    }
  },

  async close({ client, tell }) {
    for (const [session, token] of lastTokens) {
      const reply = await client.ask<{ active: boolean }>('identity', 'POST', '/oauth/token/introspection', {
        expected: [200],
        form: { ...demoClient, token },
      });
      if (reply.body === undefined) continue;
      tell({ what: 'token', session, token, use: 'check', result: reply.body.active ? 'ok' : 'refused' });
    }
    lastTokens.clear();
  },
};

interface Grant {
  code: string;
  verifier: string;
}

async function signIn({ client, random, accounts, issuer }: LoadContext): Promise<Grant | undefined> {
  const verifier = randomBytes(32).toString('base64url');
  const authorization = new URL(`${issuer}/oauth/auth`);
  authorization.search = new URLSearchParams({
    ...{ response_type: 'code', client_id: demoClient.client_id, redirect_uri: redirectUri },
    ...{ scope: 'openid email offline_access', state: randomBytes(8).toString('hex') },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const atMs = Date.now();
  const record = { atMs, service: 'identity', request: 'sign-in pages' } as const;
  try {
    const callback = await new SignInPages(random.pick(accounts)).follow(authorization);
    const code = callback.searchParams.get('code');
    client.record({ ...record, status: 200, isExpected: code !== null, text: code === null ? callback.search : '' });
    return code === null ? undefined : { code, verifier };
  } catch (error) {
    const { message } = error as Error;
    const answered = /answered (\d{3})/.exec(message)?.[1];
    client.record({ ...record, status: answered ? Number(answered) : null, isExpected: false, text: message });
    return undefined;
  }
}

async function exchange(context: LoadContext, session: string, { code, verifier }: Grant): Promise<string | undefined> {
  const reply = await context.client.ask<Tokens>('identity', 'POST', '/oauth/token', {
    // 400: the code was used before.
    expected: [200, 400],
    form: {
      ...demoClient,
      ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
    },
  });
  return successor(context, session, code, reply);
}

async function refresh(context: LoadContext, session: string, token: string): Promise<string | undefined> {
  const reply = await context.client.ask<Tokens>('identity', 'POST', '/oauth/token', {
    // 400: it was used before, by a double click.
    expected: [200, 400],
    form: { ...demoClient, grant_type: 'refresh_token', refresh_token: token },
  });
  return successor(context, session, token, reply);
}

function successor({ tell }: LoadContext, session: string, token: string, reply: Reply<Tokens>): string | undefined {
  tell({ what: 'token', session, token, use: 'exchange', result: resultOf(reply) });
  return reply.status === 200 ? reply.body?.refresh_token : undefined;
}
