// Under which key a payload is stored. Whatever works as a bearer token is stored under its SHA-256 only, so that
// reading the table gives nobody a token. Ids of grants and the `jti` of JWT access tokens open nothing by themselves.
import { hash } from 'node:crypto';

const storedPlain = new Set(['Grant', 'AccessToken']);

export const storedId = (model: string, handle: string): string =>
  storedPlain.has(model) ? handle : hash('sha256', handle, 'base64url');

export const isStoredHashed = (model: string): boolean => !storedPlain.has(model);
