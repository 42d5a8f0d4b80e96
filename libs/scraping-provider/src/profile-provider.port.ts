import type { StartFailure } from './provider-failures.js';

/** A single-profile scrape to start. */
export interface ProfileRequest {
  /** Handle as in the profile address. */
  networkUsername: string;
  /** Receives `{url, data: {profile: {name, headline, location}}}` once the profile is scraped. */
  webhookUrl: string;
  /** Sent with every delivery; the shared secret goes here. */
  webhookHeaders: Record<string, string>;
  /**
   * Our own id, unique per intended scrape. It returns as header `x-correlation-id` and finds a scrape without answer.
   */
  correlationId: string;
}

export const profileScrapeStatuses = ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED'] as const;
export type ProfileScrapeStatus = (typeof profileScrapeStatuses)[number];

/** A scrape as the provider reports it. */
export interface ProfileScrape {
  id: string;
  networkUsername: string;
  correlationId: string | undefined;
  status: ProfileScrapeStatus;
  createdAt: Date;
  /** The body that the webhook carries; only once the scrape has ended. */
  result: unknown;
}

/** What became of a start; the words mean the same as in `StartOutcome`. */
export type ProfileStartOutcome = { outcome: 'started'; scrapeId: string } | StartFailure;

/**
 * The scraping provider's single-profile call.
 *
 * Repetition: `startProfile` is not idempotent and is tried exactly once; reading is retried a bounded number of times
 * with jitter. Ordering: webhooks come in any order, also before `startProfile` answers, twice, or never.
 * Failure: `startProfile` answers with an outcome and never throws; reading throws `ServiceError` with code
 * `dependency.unavailable` (retry helps) or `provider.refused` (it does not).
 * Concurrency: safe to call in parallel; the provider says `no_capacity` above its slots.
 */
export abstract class ProfileProvider {
  abstract startProfile(request: ProfileRequest): Promise<ProfileStartOutcome>;

  /** Settles an `unknown_outcome`: every scrape that carries this id, oldest first. At most one is expected. */
  abstract listByCorrelationId(correlationId: string): Promise<ProfileScrape[]>;

  /** Undefined when the provider does not know the scrape. Gives the result of one whose webhook never came. */
  abstract findScrape(scrapeId: string): Promise<ProfileScrape | undefined>;
}
