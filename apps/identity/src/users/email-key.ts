/**
 * The form under which addresses are compared: composed Unicode, lower case, no blanks around. Undefined for text
 * that cannot be an address of a user (too long, a control character), so that it never reaches the database.
 */
export function emailKey(email: string): string | undefined {
  const key = email.normalize('NFC').trim().toLowerCase();
  // RFC 5321 allows 254 characters in an address that is used in SMTP.
  // eslint-disable-next-line no-control-regex
  if (key.length === 0 || key.length > 254 || /[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(key)) return undefined;
  return key;
}
