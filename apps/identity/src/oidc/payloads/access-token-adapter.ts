// JWT access tokens that can also be looked up and revoked: every token is stored under its `jti` when it is made, and
// valid means signed by us, unexpired and still stored. oidc-provider by itself stores no JWT and accepts none at its
// own endpoints, so the adapter of the model AccessToken does both (decision 0020).
import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider';
import type { PayloadAdapter } from './payload-adapter.js';
import type { SignedTokens } from '../../signing-keys/signed-tokens.js';

/**
 * Introspection and revocation refuse anything that looks like a JWT before they look it up. The token travels through
 * them under this prefix, which no JWT and no opaque token can begin with. Its dot makes four parts of the token, so
 * that their check gives up at once: an attempt to decode it as a JWT would cost some 60 µs of failure.
 */
export const structuredTokenPrefix = 'at~.';

export class AccessTokenAdapter implements Adapter {
  constructor(
    private readonly rows: PayloadAdapter,
    private readonly tokens: SignedTokens,
  ) {}

  /** Finds the row of a token by the token itself; never by a bare `jti`. */
  async find(value: string): Promise<AdapterPayload | undefined> {
    const token = value.startsWith(structuredTokenPrefix) ? value.slice(structuredTokenPrefix.length) : value;
    const jti = await this.verifiedId(token);
    const row = jti === undefined ? undefined : await this.rows.find(jti);
    if (!row) return undefined;
    // The userinfo endpoint refuses tokens with an audience. Here every token has one, and all of them may ask who the
    // user is: the scope alone decides what is told.
    if (Provider.ctx?.oidc?.route === 'userinfo') return { ...row, aud: undefined };
    return row;
  }

  /** Looks the token up ahead of the provider, in whose hands nothing changes. */
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
