// Name of a profile's backup: `<network_username>_<YYYYMMDDHHMMSS>.json` (pipelines.md, Object storage backup).

/**
 * @param receivedAt the moment the webhook arrived; its second in UTC is the timestamp
 * @param twin 1 for the first of this profile in this second; later ones get `-2`, `-3`, ... behind the timestamp
 */
export function backupObjectName(networkUsername: string, receivedAt: Date, twin: number): string {
  const iso = receivedAt.toISOString();
  // Cut out of 2026-03-04T05:06:07.000Z. Slicing is much cheaper than a regular expression, and every webhook needs it.
  const date = iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 10);
  const time = iso.slice(11, 13) + iso.slice(14, 16) + iso.slice(17, 19);
  return `${networkUsername}_${date}${time}${twin === 1 ? '' : `-${twin}`}.json`;
}
