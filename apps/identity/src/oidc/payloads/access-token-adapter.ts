// JWT access tokens that can be found and revoked: every token is stored under its `jti` when it is made, and is valid
// while it is signed by us, unexpired and stored. oidc-provider stores no JWT and accepts none at its own endpoints, so
// the adapter of the model AccessToken does both (decision 0020).
import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider';
import type { PayloadAdapter } from './payload-adapter.js';
import type { SignedTokens } from '../../signing-keys/signed-tokens.js';

/**
 * Introspection and revocation refuse anything that looks like a JWT before they look it up. The token passes them with
 * this prefix, with which no JWT and no opaque token can begin. Its dot gives the token four parts, so their check
 * gives up at once; a failed attempt to decode it as a JWT would take some 60 µs.
 */
export const structuredTokenPrefix = 'at~.';

export class AccessTokenAdapter implements Adapter {
  constructor(
    private readonly rows: PayloadAdapter,
    private readonly tokens: SignedTokens,
  ) {}

  /** Finds the row of a token by the token, never by a bare `jti`. */
  async find(value: string): Promise<AdapterPayload | undefined> {
    const token = value.startsWith(structuredTokenPrefix) ? value.slice(structuredTokenPrefix.length) : value;
    const jti = await this.verifiedId(token);
    const row = jti === undefined ? undefined : await this.rows.find(jti);
    if (!row) return undefined;
    // The userinfo endpoint refuses tokens with an audience. Here every token has one and may be used there: the scope
    // decides which claims the answer contains.
    if (Provider.ctx?.oidc?.route === 'userinfo') return { ...row, aud: undefined };
    return row;
  }

  /** Reads the token's row and its relations into the unit of work. */
  async prefetch(token: string): Promise<void> {
    const jti = await this.verifiedId(token);
    if (jti !== undefined) await this.rows.prefetch(jti);
  }

  private async verifiedId(token: string): Promise<string | undefined> {
    const jti = (await this.tokens.verify('at+jwt', token))?.['jti'];
    return typeof jti === 'string' ? jti : undefined;
  }

  upsert(jti: string, payload: AdapterPayload, expiresInSeconds: number) {
    return this.rows.upsert(jti, payload, expiresInSeconds);
  }

  destroy(jti: string) {
    return this.rows.destroy(jti);
  }

  revokeByGrantId(grantId: string) {
    return this.rows.revokeByGrantId(grantId);
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async consume(): Promise<void> {
    throw new Error('access tokens are not consumed');
  }
}
