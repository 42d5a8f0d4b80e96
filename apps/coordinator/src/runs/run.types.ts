import type { Month, ProfileReference } from '@tradewind/shared-types';
import type { Run } from './run.entity.js';

export interface RunOptions {
  month: Month;
  /** Publishes again what this month has published already. */
  force: boolean;
  /** Selects and counts, publishes nothing. */
  dryRun: boolean;
  /** Most profiles to publish. */
  limit: number | undefined;
  /** Who asked for it: `sub` of a user, name of a service token, `scheduler` or `operator`; null: nobody is known. */
  triggeredBy: string | null;
}

/** Counts of the people read so far. */
export interface SelectionCounts {
  peopleRead: number;
  withoutUsername: number;
  unusableUsernames: number;
  /** Rows with a usable username. */
  staged: number;
}

/** A run in a list. */
export interface ListedRun {
  run: Run;
  /** When it was made, microseconds since 1970, for the position of the next page. */
  micros: number;
}

export interface RunBatch {
  batchNumber: number;
  profiles: number;
  message: string;
}

/** A batch as the month report reads it. */
export interface ReportedBatch {
  batchNumber: number;
  isPublished: boolean;
  profiles: ProfileReference[];
  /** The place of each in the message, which no later run changes. */
  places: number[];
}

/** That a run has selected a profile. */
export interface ProfileSelection {
  runId: string;
  isForced: boolean;
  batchNumber: number;
  selectedAt: Date | null;
  /** Null while its batch is still to be published. */
  publishedAt: Date | null;
  /** Whether a later forced run publishes it again. */
  isSuperseded: boolean;
}

/** All runs of a month together, dry runs aside. */
export interface MonthOfRuns {
  month: Month;
  runs: number;
  /** Profiles in the batches of its runs; a forced run counts its profiles again. */
  selected: number;
  publishedProfiles: number;
  firstRunAt: Date;
  lastRunAt: Date;
  /** Whether no run is under way. */
  isFinished: boolean;
  /** Whether a run has published the whole month. */
  isWhole: boolean;
}
