// What coordinator, priority-api and priority-webhook ask one another over HTTP, with a service token.
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsISO8601, ValidateNested } from 'class-validator';
import { MayBeAbsent } from './field-presence.js';
import { NetworkUsernames } from './network-username-fields.js';
import { ProfileReference } from './pipeline-messages.js';

/** Most profiles in one look-up between the apps of the priority pipeline. */
export const profileLookupMax = 1000;

/** Body of the look-ups `POST /months/:month/profiles/lookup` at priority-api and priority-webhook. */
export class ProfileLookup {
  /** Handles, normalised. */
  @IsArray()
  @ArrayMaxSize(profileLookupMax)
  @NetworkUsernames()
  network_usernames!: string[];

  /** Deliveries before this instant do not count: those of a run that a forced one has replaced. ISO 8601. */
  @MayBeAbsent()
  @IsISO8601()
  since?: string;
}

/** Body of `POST /months/:month/profiles/retry` at priority-api: profiles to start again, or at last. */
export class ProfileRetry {
  @IsArray()
  @ArrayMaxSize(profileLookupMax)
  @ValidateNested({ each: true })
  @Type(() => ProfileReference)
  profiles!: ProfileReference[];
}

/** How a profile stands at priority-api in a month. */
export const profileCallStates = ['pending', 'starting', 'unknown', 'started', 'refused'] as const;
export type ProfileCallState = (typeof profileCallStates)[number];

export interface ProfileCallStatus {
  network_username: string;
  state: ProfileCallState;
  /** Why it is not started; null when it is. */
  reason: string | null;
  /** ISO 8601; null when not started. */
  started_at: string | null;
}

/** How a profile stands at priority-webhook in a month: the best of its deliveries. */
export interface ProfileDeliveryStatus {
  network_username: string;
  /** ISO 8601. */
  received_at: string;
  request_status: 'SUCCESS' | 'FAILED';
  /** What the provider said instead of a profile, or why storing does not succeed; null when all is well. */
  reason: string | null;
  stored: boolean;
  backed_up: boolean;
}
