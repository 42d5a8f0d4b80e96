// What counts as one and the same profile: every part of the priority pipeline compares handles in this form.

/** Longest handle in characters; the network itself allows 100. */
const usernameLengthMax = 100;

/** Anything but white space, control characters and what separates parts of an address or a file name. */
const usernamePattern = /^[^\s/\\?#%:*"<>|\p{C}]+$/u;

/**
 * Hosts of the professional network, without `www.` or a country in front. The names under the reserved
 * example domain and `network.com` stand for the network where its real name is not written.
 */
const networkHosts = ['linkedin.com', 'network.com', 'network.example'];

/**
 * The one spelling of a handle: percent-decoded, trimmed, Unicode NFC, lower case, without a leading `@`;
 * of a whole profile address its handle. Undefined when nothing usable is left.
 */
export function normaliseNetworkUsername(text: string): string | undefined {
  if (text.includes('/')) return usernameOfProfileUrl(text);
  const decoded = decodePercent(text);
  const username = decoded?.normalize('NFC').trim().replace(/^@/, '').toLowerCase();
  if (username === undefined || username === '.' || username === '..') return undefined;
  if ([...username].length > usernameLengthMax) return undefined;
  return usernamePattern.test(username) ? username : undefined;
}

/**
 * The handle in a profile address `https://www.linkedin.com/in/<handle>`: with and without scheme, `www` or a country
 * subdomain, trailing slash, language suffix, query and fragment, in any case. Undefined for every other address.
 */
export function usernameOfProfileUrl(text: string): string | undefined {
  const trimmed = text.trim();
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(trimmed) ? trimmed : `https://${trimmed}`);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  if (!isNetworkHost(url.hostname)) return undefined;
  const [kind, handle] = url.pathname.split('/').filter((segment) => segment !== '');
  if (kind?.toLowerCase() !== 'in' || handle === undefined) return undefined;
  const decoded = decodePercent(handle);
  return decoded === undefined || decoded.includes('/') ? undefined : normaliseNetworkUsername(decoded);
}

function isNetworkHost(host: string): boolean {
  return networkHosts.some((known) => {
    if (host === known) return true;
    // One label in front: www, m, or a country such as de.
    return host.endsWith(`.${known}`) && !host.slice(0, -known.length - 1).includes('.');
  });
}

/** Undefined when the escapes are not valid UTF-8. */
function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
