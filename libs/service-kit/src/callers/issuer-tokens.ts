// Which tokens of the identity service a service accepts: access tokens that name its resource as their audience, and
// where it says so direct-login JWTs. An ID token is neither.
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { unauthenticated, type UserTokens } from './caller-auth.js';
import { clockToleranceSeconds, type IssuerKeys } from './issuer-keys.js';

// What the identity service may sign with. A symmetric algorithm, or none, would let anyone sign.
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];

export interface IssuerTokensOptions {
  issuer: string;
  keys: IssuerKeys;
  /** Resource indicator of the service. */
  audience: string;
  /** Whether a direct-login JWT is as good as an access token. */
  directLogin: boolean;
}

/**
 * Checks signature, issuer, kind, audience and time. It asks nobody: LiveTokens knows whether a token was revoked.
 */
export class IssuerTokens implements UserTokens {
  constructor(private readonly options: IssuerTokensOptions) {}

  async verify(token: string): Promise<JWTPayload> {
    const { issuer, keys, audience, directLogin } = this.options;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys.resolve, {
        issuer,
        algorithms,
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ['sub', 'exp', 'aud'],
      });
      const isAccessToken = /^(application\/)?at\+jwt$/i.test(protectedHeader.typ ?? '');
      const isDirectLogin = directLogin && !isAccessToken && payload['token_use'] === 'direct';
      const wanted = isAccessToken ? audience : issuer;
      if ((!isAccessToken && !isDirectLogin) || ![payload.aud].flat().includes(wanted)) {
        throw unauthenticated('The token was issued for something else', 'invalid_token');
      }
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw unauthenticated('The token has expired', 'invalid_token');
      if (error instanceof errors.JOSEError) throw unauthenticated('The token is not valid', 'invalid_token', error);
      throw error;
    }
  }
}
