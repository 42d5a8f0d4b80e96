/**
 * Number of the block of 32 days that a day lies in, as SQL. Indexes are made on this very text (0006): another spelling of
 * the same number does not use them.
 */
export function dayBlock(day: string): string {
  return `(${day} - date '2000-01-01') / 32`;
}
