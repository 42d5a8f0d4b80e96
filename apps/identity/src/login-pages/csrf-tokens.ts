// CSRF tokens without storage: signatures of the interaction, its step and a nonce from a cookie of this browser. A
// token is valid for one step of one interaction in one browser, on every replica.
import { randomBytes } from 'node:crypto';
import { Signatures } from '../signatures.js';

export interface FormStep {
  uid: string;
  prompt: string;
  nonce: string | undefined;
}

export const makeNonce = (): string => randomBytes(16).toString('base64url');

/** @param keys the cookie keys */
export const csrfToken = (keys: readonly string[], step: FormStep): string => new Signatures(keys).sign(textOf(step));

export const isCsrfToken = (keys: readonly string[], step: FormStep, token: string): boolean =>
  Boolean(step.nonce) && new Signatures(keys).verify(textOf(step), token);

const textOf = ({ uid, prompt, nonce }: FormStep): string => JSON.stringify(['csrf', uid, prompt, nonce]);
