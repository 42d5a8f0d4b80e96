import type { JWK } from 'jose';

/**
 * `next` is published and does not sign yet, so every verifier knows it before its first signature;
 * `current` signs; `previous` is published until the last token it signed has expired.
 */
export type SigningKeyState = 'next' | 'current' | 'previous';

export interface SigningKey {
  kid: string;
  state: SigningKeyState;
  publicJwk: JWK;
  createdAt: Date;
  activatedAt: Date | null;
  /** When a previous key leaves the key set. */
  expiresAt: Date | null;
}

export interface PrivateSigningKey extends SigningKey {
  privateJwk: JWK;
}

/** The keys of one moment, in the order current, next, previous. */
export interface KeySet {
  /** Changes whenever the set does. */
  version: string;
  current: PrivateSigningKey;
  keys: PrivateSigningKey[];
}
