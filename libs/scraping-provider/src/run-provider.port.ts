import type { StartFailure } from './provider-failures.js';

/** What kind of page a handle names. */
export type ProfileEntity = 'PERSON' | 'COMPANY';

export const postedLimits = ['any', '24h', 'week', 'month', '3months', '6months'] as const;
export type PostedLimit = (typeof postedLimits)[number];

export const commentsPostedLimits = ['any', '24h', 'week', 'month'] as const;
export type CommentsPostedLimit = (typeof commentsPostedLimits)[number];

/** What one run scrapes: the posts of one person or company, with their reactions and comments. */
export interface RunInput {
  /** Handle as in the address of the page, trimmed. */
  networkHandle: string;
  entity: ProfileEntity;
  postedLimit: PostedLimit;
  /** 0 means all posts, up to the limits of the run. */
  maxPosts: number;
  scrapeReactions: boolean;
  /** Per post. */
  maxReactions: number;
  scrapeComments: boolean;
  /** Per post. */
  maxComments: number;
  commentsPostedLimit: CommentsPostedLimit;
}

export const runStatuses = [
  'READY',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'TIMING-OUT',
  'TIMED-OUT',
  'ABORTING',
  'ABORTED',
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Statuses in which a run stays. TIMING-OUT and ABORTING are on their way to one. */
const terminalRunStatuses = ['SUCCEEDED', 'FAILED', 'TIMED-OUT', 'ABORTED'] as const;
export type TerminalRunStatus = (typeof terminalRunStatuses)[number];

export function isTerminalRunStatus(status: RunStatus): status is TerminalRunStatus {
  return (terminalRunStatuses as readonly string[]).includes(status);
}

/** A run as the provider reports it. */
export interface ProviderRun {
  id: string;
  status: RunStatus;
  /** The provider's own words; may be absent. For logs, not for callers. */
  statusMessage: string | undefined;
  startedAt: Date;
  finishedAt: Date | undefined;
  /** Dataset that holds the items of this run. */
  datasetId: string;
  /** Store that holds the input of this run. */
  inputStoreId: string;
  /**
   * What the run has cost, US dollars, at least 0; undefined while the provider does not say. It rises while the run
   * lasts, and may still be corrected some minutes after its end.
   */
  costUsd: number | undefined;
}

/**
 * What one run may cost at most, whatever its input asks for. The platform ends the work of a run that reaches either.
 */
export interface RunLimits {
  /** Items that are stored in its dataset and paid for. */
  itemsMax: number;
  /** US dollars. */
  chargeUsdMax: number;
}

/** How the provider reports that a run has ended. */
export interface RunWebhook {
  /** Receives `{userId, createdAt, eventType, eventData: {actorId, actorRunId}, resource: run}` when the run ends. */
  webhookUrl: string;
  /** Sent with every delivery; the shared secret goes here. */
  webhookHeaders: Record<string, string>;
  /**
   * Our own id of the job, unique per intended start. It is sent in the run's input, in the webhook's idempotency key
   * and as header `x-correlation-id` of every delivery. So a webhook is understood even when it overtakes the answer to
   * `start`, and a run whose answer was lost can be found again.
   */
  correlationId: string;
}

/** What became of a start. Only `started` has begun a run for certain; only `unknown_outcome` may have. */
export type StartOutcome = { outcome: 'started'; run: ProviderRun } | StartFailure;

/** One page of a dataset. */
export interface ItemPage {
  /** Items as the provider stored them: mixed types, unvalidated. */
  items: unknown[];
  /** Position of the first item of this page. */
  offset: number;
  /** Items in the dataset at the moment of the answer. */
  total: number;
}

/**
 * The scraping provider as a run platform (Apify's API v2).
 *
 * Repetition: `start` is not idempotent and is tried exactly once; every other operation is, and is retried a bounded
 * number of times with jitter. Ordering: a completion webhook may arrive before `start` answers, twice, or never.
 * Failure: `start` answers with an outcome and never throws; the others throw `ServiceError` with code
 * `dependency.unavailable` (retry helps) or `provider.refused` (it does not).
 * Concurrency: safe to call in parallel. The caller keeps to the number of slots (`PROVIDER_SLOTS`).
 * `detail` texts are for logs: they hold no credential, but may quote the provider.
 */
export abstract class RunProvider {
  abstract start(input: RunInput, webhook: RunWebhook, limits: RunLimits): Promise<StartOutcome>;

  /** Undefined when the provider does not know the run. */
  abstract findRun(runId: string): Promise<ProviderRun | undefined>;

  /**
   * Asks for the end of a run and returns its status afterwards: usually ABORTING first, ABORTED later.
   * A finished run is left alone and answered with the status in which it finished. Undefined when unknown.
   */
  abstract abortRun(runId: string): Promise<ProviderRun | undefined>;

  /**
   * Runs of our actor that started at `since` or later, oldest first, page by page. The provider's clock decides:
   * leave some minutes of slack. A start that is still on its way is not listed yet, so absence is proof only after the
   * timeout of the call plus slack.
   */
  abstract listRunsSince(since: Date): AsyncIterable<ProviderRun>;

  /** The input of a run and its correlation id, which settles an `unknown_outcome`; undefined when it is gone. */
  abstract readRunInput(
    run: ProviderRun,
  ): Promise<{ correlationId: string | undefined; input: Record<string, unknown> } | undefined>;

  /** One page of a dataset, in the order in which items were stored. Undefined when there is no such dataset. */
  abstract readItems(datasetId: string, page: { offset: number; limit: number }): Promise<ItemPage | undefined>;
}
