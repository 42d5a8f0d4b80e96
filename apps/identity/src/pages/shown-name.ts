// The name of a client as the pages show it inside a sentence. Whoever chose it may want the sentence to say something
// else, or the rest of the page to leave the screen.

/** Characters; a registration allows more, for other uses than a heading on a phone. */
const shownLengthMax = 60;

/** Control and formatting characters, which are invisible or change the direction of writing; joiners shape letters. */
const invisible = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}|\p{Surrogate}/gu;

/** Marks stacked on one letter would reach over the lines above. */
const stackedMarks = /(\p{M}{3})\p{M}+/gu;

/** Scripts that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export function shownName(name: string): string {
  // No name needs more than this, whatever is taken out of it.
  const plain = name.slice(0, 1000).replace(invisible, '').replace(stackedMarks, '$1').replace(/\s+/g, ' ').trim();
  const characters = [...plain];
  const short = characters.length > shownLengthMax ? `${characters.slice(0, shownLengthMax - 1).join('')}…` : plain;
  // Isolated (U+2068, U+2069), a name leaves the writing around it as it is.
  return rightToLeft.test(short) ? `\u2068${short}\u2069` : short;
}
