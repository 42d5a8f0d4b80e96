// Which redirect URIs a client may register (DECISIONS, "Redirect URIs"; RFC 8252, RFC 9700 2.1). They use https, http
// on loopback, or a private-use scheme with a dot in it. The provider itself compares exactly and refuses fragments.
/** Hosts on the own device, as `URL` spells them. */
export const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

export type RedirectUriKind = 'https' | 'loopback' | 'private-use';

/** The kind of an acceptable redirect URI; undefined for any other. */
export function redirectUriKind(uri: string): RedirectUriKind | undefined {
  const parsed = URL.parse(uri);
  if (!parsed || parsed.hash !== '' || uri.includes('#') || parsed.username !== '' || parsed.password !== '')
    return undefined;
  if (parsed.protocol === 'https:') return 'https';
  if (parsed.protocol === 'http:') return loopbackHosts.has(parsed.hostname) ? 'loopback' : undefined;
  // A reverse-domain scheme (`com.example.app:`) belongs to the owner of the domain; `javascript:` and the like have no
  // dot.
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(parsed.protocol) ? 'private-use' : undefined;
}

/** The destination as the user sees it, and whether it is on the user's own device. */
export function redirectDestination(uri: string): { label: string; isLocal: boolean } {
  const parsed = new URL(uri);
  const kind = redirectUriKind(uri);
  if (kind === 'private-use') return { label: parsed.protocol.slice(0, -1), isLocal: true };
  return { label: parsed.host, isLocal: kind === 'loopback' };
}

/** The source for `form-action` in a Content-Security-Policy that lets the browser follow the redirect to this URI. */
export function formActionSource(uri: string): string {
  const { origin, protocol } = new URL(uri);
  return origin === 'null' ? protocol : origin;
}
