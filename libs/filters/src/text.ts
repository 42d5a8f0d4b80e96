// The one definition of "the words of a text" in TypeScript. The gateway's SQL functions search_normalise and
// search_vector (its migration 0001) are the same in the database; text.int-spec.ts checks that they agree.

/** Characters of a text that can be searched for. */
export const searchTextCharsMax = 300;

/** PostgreSQL refuses longer words in a text search query. */
const wordBytesMax = 2046;

/**
 * Why a text cannot be searched for, as the end of a sentence; undefined when it can. The length comes first: putting
 * thousands of combining marks in order takes seconds.
 */
export function searchTextFault(text: unknown, charsMax = searchTextCharsMax): string | undefined {
  if (typeof text !== 'string' || text.length > charsMax) return `is not a text of at most ${charsMax} characters`;
  const words = wordsOf(text);
  if (words.length === 0) return 'has no letter or digit to search for';
  if (words.some((word) => Buffer.byteLength(word) > wordBytesMax)) return 'has a word that is too long';
  return undefined;
}

/**
 * NFKD, without combining marks (U+0300 to U+036F), lower case, `ς` as `σ`. Every run of characters that are neither
 * letters nor ASCII digits becomes one space. The ends are trimmed. Empty when the text has no letter or digit.
 */
export function normaliseText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(/[^\p{Alphabetic}0-9]+/gu, ' ')
    .trim();
}

/** The distinct words of a text, in order of first appearance. */
export function wordsOf(text: string): string[] {
  const normalised = normaliseText(text);
  return normalised === '' ? [] : [...new Set(normalised.split(' '))];
}
