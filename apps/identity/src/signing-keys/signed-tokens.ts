// Signs and verifies the JWTs of this service with its own keys. One RSA verification takes about 40 µs on the event
// loop. node:crypto does it without the change of threads that WebCrypto makes, which matters at /oauth/me.
import { createPrivateKey, createPublicKey, sign, verify, type JsonWebKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { LRUCache } from 'lru-cache';
import { AppConfig } from '../app.config.js';
import { SigningKeys } from './signing-keys.service.js';

/** The `typ` of the token's header; a token of one kind is never accepted as the other. */
export type TokenType = 'at+jwt' | 'JWT';

export type TokenClaims = Record<string, unknown> & { exp: number };

const compactJws = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** Tokens of each kind whose signature has been verified: a token in use comes many times. Some 4 MB when full. */
const verifiedMax = 2000;
const tokenCache = () => new LRUCache<string, TokenClaims>({ max: verifiedMax });
/** A longer text is no token of ours. */
const lengthMax = 8192;

@Injectable()
export class SignedTokens {
  private publicKeys = new Map<string, KeyObject>();
  private readonly verified = { 'at+jwt': tokenCache(), JWT: tokenCache() };
  private signing: { kid: string; key: KeyObject } | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly signingKeys: SigningKeys,
  ) {
    signingKeys.onChange(({ current, keys }) => {
      // What a removed key has signed is no longer valid.
      for (const tokens of Object.values(this.verified)) tokens.clear();
      this.publicKeys = new Map(
        keys.map((key) => [key.kid, createPublicKey({ key: asNodeJwk(key.publicJwk), format: 'jwk' })]),
      );
      this.signing = { kid: current.kid, key: createPrivateKey({ key: asNodeJwk(current.privateJwk), format: 'jwk' }) };
    });
  }

  sign(type: TokenType, claims: TokenClaims): string {
    if (!this.signing) throw new Error('the signing keys are not loaded yet');
    const input = `${encode({ alg: 'RS256', typ: type, kid: this.signing.kid })}.${encode(claims)}`;
    return `${input}.${sign('RSA-SHA256', Buffer.from(input), this.signing.key).toString('base64url')}`;
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

  private async verifySigned(type: TokenType, token: string): Promise<TokenClaims | undefined> {
    if (token.length > lengthMax || !compactJws.test(token)) return undefined;
    const [header = '', payload = '', signature = ''] = token.split('.');
    const { alg, typ, kid, crit } = decode(header) ?? {};
    // Only what sign() writes is read: any other `alg` or `typ` is a foreign token or an attack.
    if (alg !== 'RS256' || typ !== type || typeof kid !== 'string' || crit !== undefined) return undefined;
    const key = await this.publicKey(kid);
    if (!key) return undefined;
    if (!verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url')))
      return undefined;
    const claims = decode(payload);
    if (!claims || claims['iss'] !== this.config.OAUTH_ISSUER || typeof claims['exp'] !== 'number') return undefined;
    return claims as TokenClaims;
  }

  private refreshedAt = 0;

  private async publicKey(kid: string): Promise<KeyObject | undefined> {
    const known = this.publicKeys.get(kid);
    if (known || Date.now() - this.refreshedAt < 1000) return known;
    // At most once a second, so that invented key ids put no load on the database.
    this.refreshedAt = Date.now();
    await this.signingKeys.refresh();
    return this.publicKeys.get(kid);
  }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // Not JSON: not a token of ours.
    return undefined;
  }
}

// The declarations of JWK in jose and Node differ; the values do not.
const asNodeJwk = (jwk: JWK): JsonWebKey => jwk;
