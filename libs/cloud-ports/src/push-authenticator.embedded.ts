import { createHash, timingSafeEqual } from 'node:crypto';
import { PushAuthenticator } from './push-authenticator.port.js';

/**
 * Accepts the bearer tokens it was given: one, or several while a token is being rotated.
 * Compares digests of equal length and looks at every token, so the time taken reveals nothing about them.
 */
export class EmbeddedPushAuthenticator extends PushAuthenticator {
  readonly #digests: Buffer[];

  constructor(tokens: readonly string[]) {
    super();
    if (tokens.length === 0 || tokens.some((token) => token === '')) throw new Error('a push token must not be empty');
    this.#digests = tokens.map(digest);
  }

  async verify(authorization: string | undefined): Promise<'accepted' | 'refused' | 'unavailable'> {
    const token = bearerToken(authorization);
    if (token === undefined) return 'refused';
    const presented = digest(token);
    const matches = this.#digests.filter((expected) => timingSafeEqual(expected, presented));
    return matches.length > 0 ? 'accepted' : 'refused';
  }
}

/** The token of an `Authorization: Bearer` header (RFC 6750, section 2.1), or undefined when it is not one. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
