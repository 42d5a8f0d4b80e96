// JSON from outside that shall be kept whatever it holds: PostgreSQL stores neither NUL characters nor lone surrogates in
// JSON that is looked into, and neither it nor JavaScript can write what is nested without end.

/** Levels of objects and lists that are kept. Real payloads have fewer than ten; stores fail at some thousands. */
export const storedLevelsMax = 100;

/** What such a character is in JSON text; found without looking at every string. */
const suspect = /\\u(?:0000|d[89a-f])/i;

/** Stands where deeper levels were. */
const cutMark = '[nested too deep to be kept]';

/** The value as JSON text that every store takes: NUL is dropped, a lone surrogate becomes U+FFFD, deeper levels are cut. */
export function storableJson(value: unknown): string {
  if (isDeeperThan(value, storedLevelsMax)) return JSON.stringify(cleaned(value, storedLevelsMax));
  const text = JSON.stringify(value);
  return suspect.test(text) ? JSON.stringify(cleaned(value, storedLevelsMax)) : text;
}

/** Whether objects and lists are nested in more levels than that. A parsed body of any depth may be asked about. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((entry) => isDeeperThan(entry, levels - 1));
}

function cleaned(value: unknown, levels: number): unknown {
  // A round trip through UTF-8 replaces lone surrogates.
  if (typeof value === 'string') return Buffer.from(value.replaceAll('\u0000', ''), 'utf8').toString('utf8');
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return cutMark;
  if (Array.isArray(value)) return value.map((entry) => cleaned(entry, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [cleaned(key, levels), cleaned(entry, levels - 1)]),
  );
}
