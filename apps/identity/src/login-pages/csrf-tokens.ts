// CSRF tokens without storage: an HMAC over the interaction, its step and a nonce from a cookie of this browser. A
// token is valid for one step of one interaction in one browser, on every replica.
import { createHmac, randomBytes } from 'node:crypto';
import { constantTimeEqual } from '@tradewind/service-kit';

export const makeNonce = (): string => randomBytes(16).toString('base64url');

/** @param keys the cookie keys; the first signs, all verify */
export function csrfToken(keys: readonly string[], step: { uid: string; prompt: string; nonce: string }): string {
  return hmac(keys[0] as string, step);
}

export function isCsrfToken(
  keys: readonly string[],
  step: { uid: string; prompt: string; nonce: string | undefined },
  token: unknown,
): boolean {
  const { uid, prompt, nonce } = step;
  if (typeof token !== 'string' || !nonce) return false;
  return keys.some((key) => constantTimeEqual(hmac(key, { uid, prompt, nonce }), token));
}

const hmac = (key: string, { uid, prompt, nonce }: { uid: string; prompt: string; nonce: string }): string =>
  createHmac('sha256', key)
    .update(JSON.stringify(['csrf', uid, prompt, nonce]))
    .digest('base64url');
