// The one definition of "the words of a text" in TypeScript. The gateway's SQL functions search_normalise and
// search_vector (its migration 0001) are the same in the database; text.int-spec.ts holds the two together.

/**
 * NFKD, without combining marks (U+0300 to U+036F), lower case, `ς` as `σ`; every run of characters that are neither
 * letters nor ASCII digits becomes one space; trimmed. Empty when the text has no letter or digit.
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
