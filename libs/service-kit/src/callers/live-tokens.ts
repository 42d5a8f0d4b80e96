// Whether a user's token is good at this moment, as identity says: a signature does not say that the token was revoked
// or its user disabled. An answer is trusted for some seconds. While identity is away a token is good until it expires,
// so that a service does not stop with identity.
import { createHash } from 'node:crypto';
import type { AccessTokenCheck } from '@tradewind/shared-types';
import { LRUCache } from 'lru-cache';
import { fetchJson, FetchJsonError } from '../fetch-json.js';
import { unauthenticated, type GoodTokens } from './caller-auth.js';

/** About 5 MB. */
const tokensMax = 20_000;
/** Milliseconds that a call waits for identity. */
const timeoutMs = 1000;

export interface IdentityAddress {
  /** Of identity, as this service reaches it, without a path. */
  url: string;
  serviceToken: string;
  timeoutMs: number;
}

/** Throws FetchJsonError when identity does not say. */
export async function checkAccessToken(
  { url, serviceToken, timeoutMs }: IdentityAddress,
  token: string,
): Promise<AccessTokenCheck> {
  const { status, body } = await fetchJson<AccessTokenCheck | undefined>(`${url}/internal/access-tokens/check`, {
    method: 'POST',
    body: { token },
    headers: { authorization: `Bearer ${serviceToken}` },
    timeoutMs,
  });
  if (typeof body?.active !== 'boolean') throw new FetchJsonError('identity did not say', status, body);
  return body;
}

/** Whether identity still accepts the JWT of a direct login. Throws FetchJsonError when identity does not say. */
export async function isLoggedIn(
  { url, timeoutMs }: Pick<IdentityAddress, 'url' | 'timeoutMs'>,
  token: string,
): Promise<boolean> {
  try {
    await fetchJson(`${url}/auth/me`, { headers: { authorization: `Bearer ${token}` }, timeoutMs });
    return true;
  } catch (error) {
    if (error instanceof FetchJsonError && error.status === 401) return false;
    throw error;
  }
}

export interface LiveTokensOptions {
  identity: Omit<IdentityAddress, 'timeoutMs'>;
  /** How long an answer is trusted, milliseconds; with 0 identity is asked each time. */
  trustedMs: number;
  /** Identity did not say, so the token was taken for good. */
  onUnchecked: (reason: string) => void;
  /** Of a clock that never goes back; that of the process by default. */
  elapsedMs?: () => number;
}

export class LiveTokens implements GoodTokens {
  private readonly answers: LRUCache<string, Promise<boolean>> | undefined;

  constructor(private readonly options: LiveTokensOptions) {
    const { trustedMs: ttl, elapsedMs = () => performance.now() } = options;
    if (ttl > 0) this.answers = new LRUCache({ max: tokensMax, ttl, ttlResolution: 0, perf: { now: elapsedMs } });
  }

  async assertGood(token: string, { isDirectLogin = false } = {}): Promise<void> {
    const hash = createHash('sha256').update(token).digest('base64');
    let answer = this.answers?.get(hash);
    if (!answer) {
      answer = this.ask(token, isDirectLogin);
      this.answers?.set(hash, answer);
    }
    if (!(await answer)) throw unauthenticated('The token is no longer valid', 'invalid_token');
  }

  private async ask(token: string, isDirectLogin: boolean): Promise<boolean> {
    const { identity, onUnchecked } = this.options;
    const address = { ...identity, timeoutMs };
    try {
      if (isDirectLogin) return await isLoggedIn(address, token);
      return (await checkAccessToken(address, token)).active;
    } catch (error) {
      onUnchecked(error instanceof Error ? error.message : String(error));
      return true;
    }
  }
}
