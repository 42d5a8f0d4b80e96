// What coordinator, priority-api and priority-webhook ask one another over HTTP, with a service token.
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, Matches, ValidateNested } from 'class-validator';
import { MayBeAbsent } from './field-presence.js';
import { IsInstant } from './instant-field.js';
import type { Month } from './month.js';
import { NetworkUsernames } from './network-username-fields.js';
import { ProfileReference, uuidPattern } from './pipeline-messages.js';

/** Most profiles in one look-up between the apps of the priority pipeline. */
export const profileLookupMax = 1000;

/**
 * What the scrapes of so many profiles cost, US dollars to six decimals.
 * @param profileCostUsd of one (`PROFILE_COST_USD`); undefined when it is not known, and then the sum is null
 */
export function costOfProfiles(profiles: number, profileCostUsd: number | undefined): number | null {
  return profileCostUsd === undefined ? null : Math.round(profiles * profileCostUsd * 1e6) / 1e6;
}

/** Body of the look-ups `POST /months/:month/profiles/lookup` at priority-api and priority-webhook. */
export class ProfileLookup {
  /** Handles, normalised. */
  @IsArray()
  @ArrayMaxSize(profileLookupMax)
  @NetworkUsernames()
  network_usernames!: string[];

  /** Deliveries before this instant do not count: those of a run that a forced one has replaced. ISO 8601. */
  @MayBeAbsent()
  @IsInstant()
  since?: string;
}

/** Body of the look-up at priority-api, see ProfileLookup. */
export class ProfileCallLookup {
  /** Handles, normalised. */
  @IsArray()
  @ArrayMaxSize(profileLookupMax)
  @NetworkUsernames()
  network_usernames!: string[];

  /** The forced run whose starts are asked for; the latest start of each profile unless given. */
  @MayBeAbsent()
  @Matches(uuidPattern, { message: 'forced_run_id must be a UUID' })
  forced_run_id?: string;
}

/** The options of every request for a retry. */
export class RetryOptions {
  /** Name of the retry: repeating it starts nothing more and gets the same answer. Generated unless given. */
  @MayBeAbsent()
  @Matches(uuidPattern, { message: 'plan_id must be a UUID' })
  plan_id?: string;

  /** Only reports what would be started. */
  @MayBeAbsent()
  @IsBoolean()
  dry_run?: boolean;
}

/** Body of `POST /months/:month/profiles/retry` at priority-api. */
export class ProfileRetry extends RetryOptions {
  @IsArray()
  @ArrayMaxSize(profileLookupMax)
  @ValidateNested({ each: true })
  @Type(() => ProfileReference)
  profiles!: ProfileReference[];

  /** The forced run that wants these profiles; the latest start of each profile unless given. */
  @MayBeAbsent()
  @Matches(uuidPattern, { message: 'forced_run_id must be a UUID' })
  forced_run_id?: string;

  /**
   * The caller has published these profiles: those that never reached priority-api are started for the first time.
   * Otherwise they are counted as not known.
   */
  @MayBeAbsent()
  @IsBoolean()
  published?: boolean;
}

/** What a retry has done, or with `dry_run` would do. Each profile asked about is counted once. */
export interface RetryCounts {
  /** Ended without success or overdue, or never received at all: started by this plan. */
  started: number;
  /** Left alone: waiting for a start, started and expected, or received and being stored. */
  on_their_way: number;
  /** Left alone: scraped with success. */
  done: number;
  /** Not profiles of this month, as far as the service knows. */
  not_known: number;
}

/** Answer of a retry. */
export interface RetryResult extends RetryCounts {
  month: Month;
  plan_id: string;
  dry_run: boolean;
}

export function addRetryCounts(sum: RetryCounts, more: RetryCounts): void {
  sum.started += more.started;
  sum.on_their_way += more.on_their_way;
  sum.done += more.done;
  sum.not_known += more.not_known;
}

/** State of a profile at priority-api in a month. */
export const profileCallStates = ['pending', 'starting', 'unknown', 'started', 'refused'] as const;
export type ProfileCallState = (typeof profileCallStates)[number];

export interface ProfileCallStatus {
  network_username: string;
  state: ProfileCallState;
  /** Why it is not started; when it is, why it counts as lost; null when all is well. */
  reason: string | null;
  /** ISO 8601; null when not started. */
  started_at: string | null;
}

/** State of a profile at priority-webhook in a month: that of the best of its deliveries. */
export interface ProfileDeliveryStatus {
  network_username: string;
  /** ISO 8601. */
  received_at: string;
  request_status: 'SUCCESS' | 'FAILED';
  /** What the provider said instead of a profile, or why storing does not succeed; null when all is well. */
  reason: string | null;
  stored: boolean;
  backed_up: boolean;
  /** Header `x-correlation-id` of the delivery; null when it came without one. */
  correlation_id: string | null;
}
