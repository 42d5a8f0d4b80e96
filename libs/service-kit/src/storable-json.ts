// Makes any JSON from outside storable: the jsonb type of PostgreSQL accepts neither NUL characters nor lone
// surrogates. The depth of bodies is limited (json-depth.ts), so code may recurse into them.

/** Such a character in JSON text, found without a look at every string. */
const suspect = /\\u(?:0000|d[89a-f])/i;

/** The value as JSON text that every store accepts. NUL is dropped, and a lone surrogate becomes U+FFFD. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return suspect.test(text) ? JSON.stringify(cleaned(value)) : text;
}

function cleaned(value: unknown): unknown {
  // A round trip through UTF-8 replaces lone surrogates.
  if (typeof value === 'string') return Buffer.from(value.replaceAll('\u0000', ''), 'utf8').toString('utf8');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleaned);
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [cleaned(key), cleaned(entry)]));
}
