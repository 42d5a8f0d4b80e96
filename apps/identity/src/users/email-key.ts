import { emailLengthMax } from './credential-limits.js';

/**
 * The form in which addresses are compared: composed Unicode, lower case, trimmed. Undefined for text that cannot be an
 * address (too long, a control character), so that it never reaches the database. The length is checked first: to
 * compose marks that are out of order takes time proportional to the square of their number.
 */
export function emailKey(email: string): string | undefined {
  if (email.length > emailLengthMax) return undefined;
  const key = email.normalize('NFC').trim().toLowerCase();
  // Composing and lower-casing can make a text longer.
  // eslint-disable-next-line no-control-regex
  if (key.length === 0 || key.length > emailLengthMax || /[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(key))
    return undefined;
  return key;
}
