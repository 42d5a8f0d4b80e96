/** The fields that trigger and abort answers share: `success` means that at least one target succeeded. */
export function countAnswer(results: readonly { success: boolean }[], message: (ok: number, total: number) => string) {
  const ok = results.filter((result) => result.success).length;
  return {
    success: ok > 0,
    message: message(ok, results.length),
    total_targets: results.length,
    successful_count: ok,
    failed_count: results.length - ok,
  };
}
