// Name of a profile's backup: `<network_username>_<YYYYMMDDHHMMSS>.json` (pipelines.md, Object storage backup).

/**
 * @param receivedAt the moment the webhook arrived; its second in UTC is the timestamp
 * @param twin 1 for the first of this profile in this second; later ones get `-2`, `-3`, ... behind the timestamp
 */
export function backupObjectName(networkUsername: string, receivedAt: Date, twin: number): string {
  const timestamp = receivedAt.toISOString().slice(0, 19).replace(/[-T:]/g, '');
  return `${networkUsername}_${timestamp}${twin === 1 ? '' : `-${twin}`}.json`;
}
