import { emailLengthMax } from './credential-limits.js';

/**
 * The form under which addresses are compared: composed Unicode, lower case, no blanks around. Undefined for text
 * that cannot be an address of a user (too long, a control character), so that it never reaches the database. The
 * length comes first: composing marks that are out of order takes time by the square of their number.
 */
export function emailKey(email: string): string | undefined {
  if (email.length > emailLengthMax) return undefined;
  const key = email.normalize('NFC').trim().toLowerCase();
  // Composed and in lower case, a text can be longer than it was.
  // eslint-disable-next-line no-control-regex
  if (key.length === 0 || key.length > emailLengthMax || /[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(key))
    return undefined;
  return key;
}
