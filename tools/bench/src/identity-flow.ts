// The authorization code flow as a browser and a client walk it, for the service and for its peer.
import { createHash, randomBytes } from 'node:crypto';
import { SignInPages } from '@tradewind/testkit';

export interface FlowTarget {
  base: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  email: string;
  password: string;
}

export interface Tokens {
  access_token: string;
  refresh_token?: string;
}

export class Browser {
  private readonly pages: SignInPages;

  constructor(private readonly target: FlowTarget) {
    this.pages = new SignInPages(target);
  }

  /** From the authorization request to the tokens; login and consent as far as the server asks for them. */
  async codeFlow(scope: string): Promise<Tokens> {
    const { base, clientId, redirectUri } = this.target;
    const verifier = randomBytes(32).toString('base64url');
    const authorization = new URL('/oauth/auth', base);
    authorization.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state: 'bench',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString();
    const callback = await this.pages.follow(authorization);
    const code = callback.searchParams.get('code');
    if (!code) throw new Error(`no code: ${callback.href}`);
    return exchange(this.target, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
  }
}

export async function exchange(target: FlowTarget, fields: Record<string, string>): Promise<Tokens> {
  const client = { client_id: target.clientId, client_secret: target.clientSecret };
  const body = new URLSearchParams({ ...fields, ...client });
  const answer = await fetch(new URL('/oauth/token', target.base), { method: 'POST', body });
  if (!answer.ok) throw new Error(`no tokens: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Tokens;
}

/** Runs `work` this often, so many at a time; the rate per second. */
export async function rateOf(times: number, parallel: number, work: () => Promise<unknown>): Promise<number> {
  let left = times;
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (left > 0) {
        left -= 1;
        await work();
      }
    }),
  );
  return (times * 1000) / (performance.now() - startedMs);
}
