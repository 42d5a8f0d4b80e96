import { createHash } from 'node:crypto';

/** SHA-256 of a JSON value, whatever the order of its fields: stores do not keep it. */
export function contentSum(value: unknown): string {
  return createHash('sha256').update(inOrder(value)).digest('hex');
}

/** One sum for many values, whatever their order. */
export function sumOfSums(sums: readonly string[]): string {
  return contentSum([...sums].sort());
}

function inOrder(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  if (Array.isArray(value)) return `[${value.map(inOrder).join()}]`;
  const fields = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${inOrder(inner)}`).join()}}`;
}
