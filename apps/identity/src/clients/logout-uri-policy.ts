// Which addresses of clients this service calls to say that a session ended (OpenID Back-Channel Logout 1.0). They use
// https, or http on loopback where LOGOUT_CALLS_TO_LOOPBACK allows it. Anybody may register a client, so no such
// address may lead into the private network.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { loopbackHosts } from './redirect-uri-policy.js';

/** Whether an IP address is on the internet: not private, loopback, link-local, reserved or translated. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  // Also reads an IPv4 address within IPv6.
  return ipaddr.process(address).range() === 'unicast';
}

/** What is wrong with a `backchannel_logout_uri`; undefined when it may be called. */
export function logoutUriFault(uri: string, isLoopbackAllowed: boolean): string | undefined {
  const parsed = URL.parse(uri);
  if (!parsed || uri.includes('#') || parsed.username !== '' || parsed.password !== '') {
    return 'must be an absolute URL without a fragment and credentials';
  }
  if (isLoopbackAllowed && isLoopback(parsed)) return undefined;
  if (parsed.protocol !== 'https:') return 'must be https';
  // Without the brackets of IPv6.
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(parsed) || (isIP(host) !== 0 && !isPublicAddress(host))) return 'must be on the internet';
  return undefined;
}

export const isLoopback = ({ protocol, hostname }: URL): boolean =>
  (protocol === 'http:' || protocol === 'https:') && loopbackHosts.has(hostname);
