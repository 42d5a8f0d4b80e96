// Whether an access token is good this moment, by the same rules as /oauth/me. It is signed by us, unexpired and
// stored, its grant and browser session have not ended, and its user is not disabled. The administration of identity
// asks it, and so do the other services about the tokens of their callers.
import { Injectable } from '@nestjs/common';
import { unauthenticated, type UserTokens } from '@tradewind/service-kit';
import type { AdapterPayload } from 'oidc-provider';
import { SignedTokens, type TokenClaims } from '../signing-keys/signed-tokens.js';
import type { User } from '../users/users.types.js';
import { PayloadsStore } from './payloads/payloads.store.js';

@Injectable()
export class LiveAccessTokens {
  constructor(
    private readonly tokens: SignedTokens,
    private readonly payloads: PayloadsStore,
  ) {}

  /** Undefined for anything but a token that is good now, of whatever audience. */
  async find(token: string): Promise<{ claims: TokenClaims; user: User } | undefined> {
    const claims = await this.tokens.verify('at+jwt', token);
    if (typeof claims?.jti !== 'string') return undefined;
    const found = await this.payloads.find('AccessToken', claims.jti);
    if (!found?.user || found.user.isDisabled || found.grant === null) return undefined;
    const { expiresWithSession } = JSON.parse(found.payload) as AdapterPayload;
    if (expiresWithSession === true && found.session === null) return undefined;
    return { claims, user: found.user };
  }

  /** Those of one audience, for callers of this service. A change of role or company ends them, so both are current. */
  of(audience: string): UserTokens {
    return {
      verify: async (token) => {
        const found = await this.find(token);
        if (!found || ![found.claims.aud].flat().includes(audience)) {
          throw unauthenticated('The token is not valid', 'invalid_token');
        }
        return found.claims;
      },
    };
  }
}
