/** Values of one list. */
export const listMax = 500;
/** Words of one text. */
export const wordsMax = 20;
/** Characters of an address (RFC 5321). */
export const emailCharsMax = 254;
/** A thousand years; more would leave the range of instants. */
export const hoursMax = 8_766_000;
