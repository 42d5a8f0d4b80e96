// The one rule for handles: what is a handle, and when two texts name one and the same profile. Every service takes
// handles by this rule and compares them in this form.
//
// The rule follows the addresses that are in use. A custom address of a person has 3 to 100 letters and digits.
// Addresses that the network makes from names have letters of every script, hyphens and emoji
// (`/in/%F0%9F%9A%80-julien-...`). Companies have `_`, `.`, `&` and apostrophes as well (`/company/booking.com`,
// `/company/johnson-&-johnson`, `/company/mcdonald's-corporation`). A few addresses hold invisible marks, such as
// U+200E or U+200B, left over from pasted names. They are refused as well: two handles that look alike must be one.

/** Longest handle in characters; the network itself allows 100. */
export const networkUsernameLengthMax = 100;

/**
 * Longest text that is looked at, UTF-16 units. There is room for an address with a long query, and for a handle of 100
 * characters each of which is escaped. Normalising may take time that grows with the square of the length, so it comes
 * after this.
 */
const textLengthMax = 2_048;

// No text matches both of the next two, so the pattern below never backtracks.
/** A letter, digit or mark of any script, half a flag, or punctuation that addresses hold; nothing invisible. */
const character = String.raw`(?![\p{Default_Ignorable_Code_Point}\p{ExtPict}])[\p{L}\p{M}\p{N}\p{RI}_.&'’!+,()-]`;
/** An emoji. What holds its parts together is invisible, and allowed there alone. */
const emoji = String.raw`\p{ExtPict}[\uFE0F\p{EMod}]?(?:\u200D\p{ExtPict}[\uFE0F\p{EMod}]?)*`;
/** Something in it has to name somebody: `.`, `..` and `-` do not. */
const usernamePattern = new RegExp(String.raw`^(?=.*[\p{L}\p{N}\p{ExtPict}])(?:${emoji}|${character})+$`, 'u');

/**
 * Hosts of the professional network, without `www.` or a country in front. The names under the reserved
 * example domain and `network.com` stand for the network where its real name is not written.
 */
const networkHosts = ['linkedin.com', 'network.com', 'network.example'];

/** Whose page a handle names. Schools and showcases are pages of companies. */
export type NetworkEntity = 'PERSON' | 'COMPANY';
const foldersOfEntity: Record<NetworkEntity, readonly string[]> = {
  PERSON: ['in'],
  COMPANY: ['company', 'school', 'showcase'],
};

/**
 * The handle in a text, in the letters of the text: percent-decoded, trimmed, Unicode NFC; of a whole profile address
 * its handle. Undefined when the text is neither a handle nor the address of such a page. Without an entity both are
 * taken.
 */
export function networkHandleOf(text: string, entity?: NetworkEntity): string | undefined {
  if (text.length > textLengthMax) return undefined;
  const trimmed = text.trim();
  return trimmed.includes('/') ? handleOfAddress(trimmed, entity) : checked(decodePercent(trimmed));
}

/** The one spelling in which handles of people are compared, kept and published: `networkHandleOf` in lower case. */
export function normaliseNetworkUsername(text: string): string | undefined {
  return inOneCase(networkHandleOf(text, 'PERSON'));
}

/**
 * The handle in a profile address `https://www.linkedin.com/in/<handle>`, in any case. Scheme, `www` or a country
 * subdomain, trailing slash, language suffix, query and fragment may be there or not. Undefined for every other
 * address.
 */
export function usernameOfProfileUrl(text: string): string | undefined {
  return text.length > textLengthMax ? undefined : inOneCase(handleOfAddress(text.trim(), 'PERSON'));
}

/** The network ignores case in its addresses. */
function inOneCase(handle: string | undefined): string | undefined {
  // A letter may have several characters in lower case: what is then too long, or no longer in NFC, is checked again.
  return handle === undefined ? undefined : checked(handle.toLowerCase());
}

function handleOfAddress(address: string, entity: NetworkEntity | undefined): string | undefined {
  // The parser would drop line breaks and tabs, wherever they are.
  if (/\p{Cc}/u.test(address)) return undefined;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  if (url.username !== '' || url.password !== '' || url.port !== '' || !isNetworkHost(url.hostname)) return undefined;
  const [folder, handle] = url.pathname.split('/').filter((segment) => segment !== '');
  if (folder === undefined || handle === undefined) return undefined;
  const folders = entity ? foldersOfEntity[entity] : Object.values(foldersOfEntity).flat();
  return folders.includes(folder.toLowerCase()) ? checked(decodePercent(handle)) : undefined;
}

/** The text as a handle in NFC; undefined when it is none. */
function checked(text: string | undefined): string | undefined {
  const handle = text?.normalize('NFC').trim();
  if (handle === undefined || [...handle].length > networkUsernameLengthMax) return undefined;
  return usernamePattern.test(handle) ? handle : undefined;
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
