/** The middle value; of an even count the mean of the two in the middle. Throws on an empty list. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value below which this share (0 to 1) of the values lies, interpolated linearly. Throws on an empty list. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('no values');
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  return below + (above - below) * (position - Math.floor(position));
}
