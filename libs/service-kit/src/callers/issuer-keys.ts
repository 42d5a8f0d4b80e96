// The issuer's public keys, kept so that tokens can be checked while the issuer is away for a moment.
import { createRemoteJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters } from 'jose';
import { ServiceError } from '@tradewind/shared-types';

// A revoked key is forgotten within this time, and a new one that nobody has used yet is known by then.
const refreshAfterMs = 10 * 60_000;
// Keys older than this are no longer trusted when the issuer does not answer.
const trustedMs = 60 * 60_000;
// An unknown key id makes the keys be read again, but not more often than this, whoever sends such ids.
const cooldownMs = 2000;
const fetchTimeoutMs = 3000;

/**
 * Resolves the key of a token, for jose's `jwtVerify`. Keys are read at first use and again when a token names an unknown one.
 * Throws a ServiceError (503) when the keys cannot be had; a token whose key the issuer does not list is jose's own error.
 */
export class IssuerKeys {
  private readonly remote: ReturnType<typeof createRemoteJWKSet>;
  private readAt = 0;
  private reading: Promise<void> | undefined;

  constructor(jwksUrl: string) {
    this.remote = createRemoteJWKSet(new URL(jwksUrl), {
      cacheMaxAge: Number.POSITIVE_INFINITY,
      cooldownDuration: cooldownMs,
      timeoutDuration: fetchTimeoutMs,
    });
  }

  readonly resolve = async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    const ageMs = Date.now() - this.readAt;
    // Without keys that can be trusted the caller waits; with keys that are merely old, the refresh runs beside it.
    if (ageMs > trustedMs) await this.read();
    else if (ageMs > refreshAfterMs) this.read().catch(() => undefined);
    try {
      return await this.remote(header, token);
    } catch (error) {
      if (isAboutTheToken(error)) throw error;
      throw unavailable(error);
    }
  };

  private read(): Promise<void> {
    this.reading ??= this.remote
      .reload()
      .then(() => {
        this.readAt = Date.now();
      })
      .catch((error: unknown) => {
        throw unavailable(error);
      })
      .finally(() => {
        this.reading = undefined;
      });
    return this.reading;
  }
}

function isAboutTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError({
    code: 'dependency.unavailable',
    status: 503,
    message: 'The identity service does not answer, so the token cannot be checked',
    retryable: true,
    retryAfterSeconds: 5,
    cause,
  });
}
