// Which profiles a retry may start again. Each start is paid for, so only those that provably came to nothing:
//   - the provider refused the start, or it was given up: `refused`;
//   - the scrape was delivered as failed;
//   - the scrape is lost; the delivery watch asks the provider, see `lossOf`.
// All others are on their way or done and are left alone, however often a retry is requested.
import type { ProfileScrape } from '@tradewind/scraping-provider';

/** The condition on rows of profile_call, for statements of ProfileCallsStore. */
export function isRetryable(call: string): string {
  return `(${call}.delivered_status is distinct from 'SUCCESS'
    and (${call}.state = 'refused' or (${call}.state = 'started' and (${call}.delivered_status = 'FAILED' or ${call}.lost_at is not null))))`;
}

/**
 * Why an overdue scrape is lost; undefined while it is not. A scrape whose result the provider still has is not lost:
 * handing on the result costs nothing.
 * @param scrape undefined when the provider does not know it
 * @param retryOverdueMs age at which a scrape that still runs is given up (RETRY_OVERDUE_SECONDS)
 */
export function lossOf(
  scrape: Pick<ProfileScrape, 'status' | 'result'> | undefined,
  ageMs: number,
  retryOverdueMs: number,
): string | undefined {
  if (!scrape) return 'the provider does not know the scrape any more';
  if (hasResult(scrape)) return undefined;
  if (scrape.status === 'SUCCEEDED' || scrape.status === 'FAILED')
    return `the scrape ended as ${scrape.status}, and the provider has no result of it`;
  return ageMs >= retryOverdueMs
    ? `the provider has not ended the scrape after ${Math.floor(ageMs / 60_000)} minutes`
    : undefined;
}

/** Whether the scrape has ended and the provider still has what its webhook carries. */
export function hasResult({ status, result }: Pick<ProfileScrape, 'status' | 'result'>): boolean {
  return (status === 'SUCCEEDED' || status === 'FAILED') && result !== undefined && result !== null;
}
