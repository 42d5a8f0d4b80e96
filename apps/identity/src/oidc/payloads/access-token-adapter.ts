// JWT access tokens that can be found and revoked. Every token is stored under its `jti` when it is made. It is valid
// while it is signed by us, unexpired and stored. The library oidc-provider stores no JWT and accepts none at its own
// endpoints, so the adapter of the model AccessToken does both (decision 0020).
import { Provider, type AdapterPayload } from 'oidc-provider';
import type { SignedTokens } from '../../signing-keys/signed-tokens.js';
import { PayloadAdapter } from './payload-adapter.js';
import type { PayloadsStore } from './payloads.store.js';

/**
 * Introspection and revocation refuse anything that looks like a JWT before they look it up. The token passes them with
 * this prefix, with which no JWT and no opaque token can begin. Its dot gives the token four parts, so their check
 * gives up at once. A failed attempt to decode it as a JWT would take some 60 µs.
 */
export const structuredTokenPrefix = 'at~.';

/** What the library reads from a stored token. */
const storedMembers = [
  'accountId',
  'clientId',
  'grantId',
  'gty',
  'scope',
  'aud',
  'sessionUid',
  'expiresWithSession',
  'sid',
  'jkt',
  'claims',
  'extra',
];

export class AccessTokenAdapter extends PayloadAdapter {
  constructor(
    store: PayloadsStore,
    private readonly tokens: SignedTokens,
  ) {
    super('AccessToken', store);
  }

  /** Finds the row of a token by the token, never by a bare `jti`. */
  override async find(value: string): Promise<AdapterPayload | undefined> {
    const token = value.startsWith(structuredTokenPrefix) ? value.slice(structuredTokenPrefix.length) : value;
    const jti = await this.verifiedId(token);
    const row = jti === undefined ? undefined : await super.find(jti);
    if (!row) return undefined;
    // The userinfo endpoint refuses tokens with an audience. Here every token has one and may be used there: the scope
    // decides which claims the answer contains.
    if (Provider.ctx?.oidc?.route === 'userinfo') return { ...row, aud: undefined };
    return row;
  }

  override async prefetch(token: string): Promise<void> {
    const jti = await this.verifiedId(token);
    if (jti !== undefined) await super.prefetch(jti);
  }

  /** Stores a token that the provider is about to sign. */
  async storeIssued(token: object, claims: Record<string, unknown>): Promise<void> {
    const { jti, iat, exp } = claims as { jti: string; iat: number; exp: number };
    const members = Object.fromEntries(storedMembers.map((name) => [name, (token as AdapterPayload)[name]]));
    await this.upsert(jti, { kind: 'AccessToken', jti, iat, exp, ...members }, exp - iat);
  }

  private async verifiedId(token: string): Promise<string | undefined> {
    const jti = (await this.tokens.verify('at+jwt', token))?.['jti'];
    return typeof jti === 'string' ? jti : undefined;
  }
}
