// The name of a client as the pages show it inside a sentence. Its author may want to change what the sentence says, or
// to push the rest of the page off the screen.

/** Characters that fit into a heading on a phone; a registration allows more. */
const shownLengthMax = 60;

/** Control and formatting characters: invisible, or they change the direction of writing. Joiners may stay. */
const invisible = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}|\p{Surrogate}/gu;

/** Marks stacked on one letter would reach over the lines above. */
const stackedMarks = /(\p{M}{3})\p{M}+/gu;

/** Scripts that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export function shownName(name: string): string {
  // Long enough for every name, even after characters are removed.
  const plain = name.slice(0, 1000).replace(invisible, '').replace(stackedMarks, '$1').replace(/\s+/g, ' ').trim();
  const characters = [...plain];
  const short = characters.length > shownLengthMax ? `${characters.slice(0, shownLengthMax - 1).join('')}…` : plain;
  // Isolated (U+2068, U+2069), a name does not affect the direction of the text around it.
  return rightToLeft.test(short) ? `\u2068${short}\u2069` : short;
}
