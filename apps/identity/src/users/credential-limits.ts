// How long an email address and a password may be, in characters.

/** RFC 5321 allows 254 characters in an address that is used in SMTP. */
export const emailLengthMax = 254;

/** NIST SP 800-63B-4: length decides; there are no rules about kinds of characters. */
export const passwordLengthMin = 12;

/** In the worst case, normalizing text takes time proportional to the square of its length. */
export const passwordLengthMax = 1024;
