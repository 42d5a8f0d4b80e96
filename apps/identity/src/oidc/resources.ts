// For whom access tokens can be issued (RFC 8707): the issuer itself, which is also the default, and the configured
// resources. Every token is a JWT (RFC 9068) with one audience.
import { errors, type ResourceServer } from 'oidc-provider';

export const scopes = ['openid', 'profile', 'email', 'offline_access'] as const;

/** The audience for a resource indicator as a client wrote it; throws InvalidTarget for an unknown one. */
export function audienceOf(resource: string, issuer: string, resources: readonly string[]): string {
  const wanted = href(resource);
  // A client may write the issuer with or without the slash that URL parsers add.
  if (wanted !== undefined && wanted === href(issuer)) return issuer;
  const found = resources.find((one) => href(one) === wanted);
  if (wanted === undefined || found === undefined) throw new errors.InvalidTarget('the resource is not known here');
  return found;
}

export function resourceServer(resource: string, issuer: string, resources: readonly string[]): ResourceServer {
  return {
    scope: scopes.join(' '),
    audience: audienceOf(resource, issuer, resources),
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  };
}

const href = (uri: string): string | undefined => URL.parse(uri)?.href;
