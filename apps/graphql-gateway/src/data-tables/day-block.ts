/**
 * SQL for the number of the block of 32 days that a day lies in. Indexes are created on exactly this text (0006, 0008);
 * PostgreSQL does not use them for the same number written in another way.
 */
export function dayBlock(day: string): string {
  return `(${day} - date '2000-01-01') / 32`;
}
