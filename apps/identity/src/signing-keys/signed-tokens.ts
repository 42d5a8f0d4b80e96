// Signs and verifies the JWTs of this service with its own keys.
import { Injectable } from '@nestjs/common';
import { createLocalJWKSet, errors, jwtVerify, SignJWT, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { AppConfig } from '../app.config.js';
import { SigningKeys } from './signing-keys.service.js';

/** The `typ` of the token's header; a token of one kind is never accepted as the other. */
export type TokenType = 'at+jwt' | 'JWT';

/** A logout token is only sent: nobody presents one here. */
type SignedType = TokenType | 'logout+jwt';

export type TokenClaims = JWTPayload & { exp: number };

/** Tokens of each kind whose signature has been verified: a token in use comes many times. Some 4 MB when full. */
const verifiedMax = 2000;
const tokenCache = () => new LRUCache<string, TokenClaims>({ max: verifiedMax });
/** A longer text is no token of ours. */
const lengthMax = 8192;

@Injectable()
export class SignedTokens {
  private readonly verified = { 'at+jwt': tokenCache(), JWT: tokenCache() };
  private publicKeys: ReturnType<typeof createLocalJWKSet> | undefined;
  /** By `performance.now()`. */
  private refreshedAt = -Infinity;

  constructor(
    private readonly config: AppConfig,
    private readonly signingKeys: SigningKeys,
  ) {
    signingKeys.onChange(({ keys }) => {
      // What a removed key has signed is no longer valid.
      for (const tokens of Object.values(this.verified)) tokens.clear();
      this.publicKeys = createLocalJWKSet({ keys: keys.map(({ publicJwk }) => publicJwk) });
    });
  }

  sign(type: SignedType, claims: TokenClaims): Promise<string> {
    const { kid, privateJwk } = this.signingKeys.current.current;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: type, kid }).sign(privateJwk);
  }

  /**
   * The claims of a token that this service signed, of this type, for this issuer and not expired; otherwise
   * undefined. For an unknown key id it looks for a rotation first.
   */
  async verify(type: TokenType, token: string): Promise<TokenClaims | undefined> {
    const known = this.verified[type];
    const seen = known.get(token);
    const claims = seen ?? (await this.verifySigned(type, token));
    if (!claims || claims.exp <= Date.now() / 1000) {
      known.delete(token);
      return undefined;
    }
    if (!seen) known.set(token, claims);
    return claims;
  }

  private async verifySigned(typ: TokenType, token: string): Promise<TokenClaims | undefined> {
    if (token.length > lengthMax) return undefined;
    const rules = { typ, algorithms: ['RS256'], issuer: this.config.OAUTH_ISSUER, requiredClaims: ['exp'] };
    try {
      const { payload } = await jwtVerify(token, this.publicKey, rules);
      return { ...payload, exp: payload.exp! };
    } catch (error) {
      // Every fault of a token is one of these.
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  private readonly publicKey: JWTVerifyGetKey = async (header, token) => {
    try {
      return await this.publicKeys!(header, token);
    } catch (error) {
      // At most once a second, so that invented key ids put no load on the database.
      if (!(error instanceof errors.JWKSNoMatchingKey) || performance.now() - this.refreshedAt < 1000) throw error;
      this.refreshedAt = performance.now();
      await this.signingKeys.refresh();
      return this.publicKeys!(header, token);
    }
  };
}
