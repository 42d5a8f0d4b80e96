/** The values of each key, in their order. */
export function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group) group.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** The entries of the log that tell one kind of thing. */
export function toldOf<E extends { what: string }, W extends E['what']>(
  told: readonly E[],
  what: W,
): Extract<E, { what: W }>[] {
  // The filter keeps this kind alone.
  return told.filter((entry) => entry.what === what) as Extract<E, { what: W }>[];
}
