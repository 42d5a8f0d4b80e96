import { Signatures } from './signatures.js';

/**
 * The names of the cookies. With https they have a prefix. Browsers let no other host set a `__Host-` cookie, whose
 * path must be `/`. They accept a `__Secure-` cookie only over https.
 */
export function cookieNames(issuer: string): Record<'session' | 'interaction' | 'resume' | 'csrf', string> {
  const [host, secure] = issuer.startsWith('https:') ? ['__Host-', '__Secure-'] : ['_', '_'];
  return {
    session: `${host}session`,
    // These belong to one login and are sent only to its addresses.
    interaction: `${secure}interaction`,
    resume: `${secure}interaction_resume`,
    csrf: `${secure}csrf`,
  };
}

/** The lines that set the cookie of a session as the provider does, or with an empty handle and a past time end it. */
export function sessionCookies(issuer: string, keys: readonly string[], handle: string, until: Date): string[] {
  const name = cookieNames(issuer).session;
  const secure = issuer.startsWith('https:') ? '; Secure' : '';
  const attributes = `Path=/; Expires=${until.toUTCString()}; HttpOnly; SameSite=Lax${secure}`;
  const signature = handle === '' ? '' : new Signatures(keys).sign(`${name}=${handle}`);
  return [`${name}=${handle}; ${attributes}`, `${name}.sig=${signature}; ${attributes}`];
}

/** The first value of a cookie in a Cookie header; undefined when it is missing or empty. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value) return value;
  }
  return undefined;
}
