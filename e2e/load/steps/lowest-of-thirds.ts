export interface Thirds {
  /** Lowest value of the second third. */
  before: number;
  /** Lowest value of the last third. */
  after: number;
}

/**
 * What stays in use. Between two collections of garbage the heap grows anyway, so only lowest values are compared.
 * The first third is left out, since caches and compiled code fill up there.
 */
export function lowestOfThirds(values: readonly number[]): Thirds {
  const third = Math.floor(values.length / 3);
  if (third === 0) throw new Error('at least three values are needed');
  return { before: Math.min(...values.slice(third, 2 * third)), after: Math.min(...values.slice(2 * third)) };
}
