// Under which key a payload is stored. Whatever works as a bearer token is stored under its SHA-256 only, so that
// reading the table gives nobody a token. Ids of grants and the `jti` of JWT access tokens open nothing by themselves.
import { hash } from 'node:crypto';

const storedPlain = new Set(['Grant', 'AccessToken']);

export const storedId = (model: string, handle: string): string =>
  storedPlain.has(model) ? handle : hash('sha256', handle, 'base64url');

/** PostgreSQL refuses U+0000 and lone surrogates in text. No id of a client has them, nor is one longer than this. */
export const isStorableText = (text: string): boolean =>
  text.length <= 255 && !text.includes('\0') && !/\p{Surrogate}/u.test(text);

export const isStoredHashed = (model: string): boolean => !storedPlain.has(model);
