// Which facts about a user each scope releases (identity.md, "Scopes").
import type { AccountClaims } from 'oidc-provider';
import type { User } from '../../users/users.types.js';

export const claimsOfScopes = {
  openid: ['sub'],
  profile: ['name', 'family_name', 'given_name', 'preferred_username', 'userRole'],
  email: ['email', 'email_verified'],
};

/** Exactly what the discovery document lists, in this order. */
export const claimsSupported = [
  'sub',
  'iss',
  'aud',
  'exp',
  'iat',
  'email',
  'email_verified',
  'name',
  'preferred_username',
];

/** All claims of a user; the provider omits what the scopes do not release. Unknown names are missing, not null. */
export function claimsOf(user: User): AccountClaims {
  return {
    sub: user.id,
    email: user.email,
    email_verified: user.emailVerified,
    userRole: user.userRole,
    preferred_username: user.preferredUsername ?? user.email,
    name: user.name ?? undefined,
    given_name: user.givenName ?? undefined,
    family_name: user.familyName ?? undefined,
  };
}

/** The private claim of access tokens and direct-login JWTs; users of no company have no such claim. */
export function companyClaim({ companyId }: User): { user_company_id?: string } {
  return companyId === null ? {} : { user_company_id: companyId };
}
