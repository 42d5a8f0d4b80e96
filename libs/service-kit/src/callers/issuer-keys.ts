// The public keys of the identity service, kept so that tokens can be checked while it is away for a moment.
import { KeyObject } from 'node:crypto';
import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  jwksCache,
  type FlattenedJWSInput,
  type JWKSCacheInput,
  type JWSHeaderParameters,
} from 'jose';
import { ServiceError } from '@tradewind/shared-types';

// A withdrawn key is forgotten within this time while the issuer answers.
const refreshAfterMs = 10 * 60_000;
// Keys older than this are not trusted when the issuer does not answer.
const trustedMs = 60 * 60_000;
// Unknown key ids make the keys be read again, but not more often than this.
const cooldownMs = 2000;

/** How far the clocks of two machines in one data centre may differ: `nbf` and `exp` of tokens are judged with this. */
export const clockToleranceSeconds = 5;

export interface IssuerKeysOptions {
  /** Address of the JWKS. */
  url: string;
  timeoutMs?: number;
  /** The error for a caller when the keys cannot be read; a 503 by default. */
  unavailable?: (cause: unknown) => ServiceError;
}

/**
 * Finds the key of a token: `resolve` is for jose's `jwtVerify`, `secretOrKeyProvider` for the strategy of
 * passport-jwt. Keys are read at first use, when they are old, and when a token names an unknown one. Both fail with
 * the error of `unavailable` when the keys cannot be read, and with jose's own for an unknown key.
 */
export class IssuerKeys {
  private readonly cache: Partial<JWKSCacheInput> = {};
  private readonly remote: ReturnType<typeof createRemoteJWKSet>;
  private readonly unavailable: (cause: unknown) => ServiceError;

  constructor({ url, timeoutMs = 3000, unavailable = issuerUnavailable }: IssuerKeysOptions) {
    this.remote = createRemoteJWKSet(new URL(url), {
      cacheMaxAge: trustedMs,
      cooldownDuration: cooldownMs,
      timeoutDuration: timeoutMs,
      [jwksCache]: this.cache as JWKSCacheInput,
    });
    this.unavailable = unavailable;
  }

  readonly resolve = async (header: JWSHeaderParameters, token?: FlattenedJWSInput) => {
    // Keys that are old but still trusted serve this token while newer ones are read.
    if (this.remote.fresh && Date.now() - (this.cache.uat ?? 0) > refreshAfterMs) {
      this.remote.reload().catch(() => undefined);
    }
    try {
      return await this.remote(header, token);
    } catch (error) {
      throw isAboutTheToken(error) ? error : this.unavailable(error);
    }
  };

  readonly secretOrKeyProvider = (
    _request: unknown,
    token: string,
    done: (error: unknown, key?: string | Buffer) => void,
  ): void => {
    this.publicKeyOf(token).then(
      (key) => done(null, key),
      (error: unknown) => done(error),
    );
  };

  private async publicKeyOf(token: string): Promise<string | Buffer> {
    const key = await this.resolve(decodeProtectedHeader(token));
    return KeyObject.from(key).export({ type: 'spki', format: 'pem' });
  }
}

function isAboutTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function issuerUnavailable(cause: unknown): ServiceError {
  return new ServiceError({
    code: 'dependency.unavailable',
    status: 503,
    message: 'The identity service does not answer, so the token cannot be checked',
    retryable: true,
    retryAfterSeconds: 5,
    cause,
  });
}
