/** A key that ends within these days needs attention. */
const days = 14;

/** The day (UTC) before which such a key expires. A day, so that an address and the cursors of its pages stay. */
export function expiringBefore(): string {
  const day = new Date();
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}

/** Whether the key was made to last: one for a day needs no attention on its last day. */
export const isLasting = (key: { created_at: string; expires_at: string }): boolean =>
  Date.parse(key.expires_at) - Date.parse(key.created_at) > days * 86_400_000;
