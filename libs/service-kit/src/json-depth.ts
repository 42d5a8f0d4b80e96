// How deeply JSON from outside may be nested. Real bodies have fewer than ten levels. Recursive code such as
// class-transformer and JSON.stringify fails at some thousands.

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
