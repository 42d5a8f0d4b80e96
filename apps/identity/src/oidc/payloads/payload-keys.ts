// The key under which a payload is stored: for anything that works as a bearer token its SHA-256, so that nobody gets a
// token by reading the table. The ids of grants and the `jti` of JWT access tokens give no access.
import { hash } from 'node:crypto';

const storedPlain = new Set(['Grant', 'AccessToken']);

export const storedId = (model: string, handle: string): string =>
  storedPlain.has(model) ? handle : hash('sha256', handle, 'base64url');

/** PostgreSQL refuses U+0000 and lone surrogates in text. No id of a client has them, nor is one longer than this. */
export const isStorableText = (text: string): boolean =>
  text.length <= 255 && !text.includes('\0') && !/\p{Surrogate}/u.test(text);

export const isStoredHashed = (model: string): boolean => !storedPlain.has(model);
