// The audiences of access tokens (RFC 8707): the issuer, which is the default, and the configured resources, each for
// the clients that an operator allowed. Every token is a JWT (RFC 9068) with one audience.
import { errors, type ResourceServer } from 'oidc-provider';
import type { AppConfig } from '../../app.config.js';
import type { ClientRights } from '../../clients/oauth-client.entity.js';

export const scopes = ['openid', 'profile', 'email', 'offline_access'] as const;

/** The audience of a resource indicator as a client or operator wrote it; undefined for an unknown one. */
export function findAudience(resource: string, config: AppConfig): string | undefined {
  const { OAUTH_ISSUER: issuer, OAUTH_RESOURCES: resources } = config;
  const wanted = href(resource);
  if (wanted === undefined) return undefined;
  // The issuer may be written with or without the slash that URL parsers add.
  if (wanted === href(issuer)) return issuer;
  return resources.find((one) => href(one) === wanted);
}

/** Throws InvalidTarget unless an operator allowed the client to ask for tokens of this audience. */
export function assertAllowed(audience: string, { resources }: ClientRights): void {
  if (resources.some((one) => href(one) === href(audience))) return;
  throw new errors.InvalidTarget('an operator has not allowed this client to ask for tokens of the resource');
}

export function resourceServer(resource: string, config: AppConfig): ResourceServer & { audience: string } {
  const audience = findAudience(resource, config);
  if (audience === undefined) throw new errors.InvalidTarget('the resource is not known here');
  return {
    scope: scopes.join(' '),
    audience,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  };
}

const href = (uri: string): string | undefined => URL.parse(uri)?.href;
