// How deeply JSON from outside may be nested, and how many values it may have. Real bodies have fewer than ten levels.
// Recursive code such as class-transformer and JSON.stringify fails at some thousands.

/** Levels of objects and lists that a body may have. */
export const jsonLevelsMax = 100;

/** The sentence that refuses a body with more levels. */
export const tooDeepSentence = `body must not be nested in more than ${jsonLevelsMax} levels`;

/** Whether objects and lists have more levels than that. Accepts any result of `JSON.parse`. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((entry) => isDeeperThan(entry, levels - 1));
  // Not Object.values: making its list costs more than the whole walk.
  const fields = value as Record<string, unknown>;
  for (const name in fields) if (isDeeperThan(fields[name], levels - 1)) return true;
  return false;
}

/** The shortest text with one level too many: each level has two brackets. */
const deepLengthMin = 2 * (jsonLevelsMax + 1);

/**
 * Whether the JSON text has more levels than a body may have; `value` is its parsed value. The parser accepts any
 * depth, so the check can follow it. It costs 3 to 12 % of the parsing; a scan of the text would cost 10 to 30 %.
 */
export function isTooDeep(text: string, value: unknown): boolean {
  return text.length >= deepLengthMin && isDeeperThan(value, jsonLevelsMax);
}

/**
 * Fields and list entries that a body may have, at all levels. A large profile has 2,000, and the longest list of a
 * request 3,000. Each value costs 4 µs from the parser to the stores, and a body of 1 MB has room for 500,000.
 */
export const jsonValuesMax = 20_000;

/**
 * The sentence that refuses JSON text with too many values or levels, found without parsing it. Accepts any text, and
 * does not look at one that is too short for so many values. Each comma and each container brings a value, so empty
 * containers count twice.
 */
export function excessSentence(text: string): string | undefined {
  // A value takes two characters at least.
  if (text.length < 2 * jsonValuesMax) return undefined;
  let values = 0;
  let levels = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfText(text, at);
    else if (character === ',') values += 1;
    else if (character === ']' || character === '}') levels -= 1;
    else if (character === '[' || character === '{') {
      values += 1;
      levels += 1;
    }
    if (levels > jsonLevelsMax) return tooDeepSentence;
    if (values > jsonValuesMax) return `body must not have more than ${jsonValuesMax} fields and list entries`;
  }
  return undefined;
}

/** Where the string that begins there ends. */
function endOfText(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
