import type { ProfileEntity, RunInput, RunStatus } from '@tradewind/scraping-provider';

/** States of a job as callers see them (pipelines.md, States and transitions). */
export const trackerStatuses = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'ABORTED'] as const;
export type TrackerStatus = (typeof trackerStatuses)[number];

/**
 * Which work a job still needs; the README has the diagram.
 * `queued`: to be started. `starting`: a start is on its way. `unsettled`: a start ended without saying whether a run
 * exists. `following`: a run exists and is watched. `storing`: the run succeeded, its items are being stored.
 * `done`: nothing is left to do.
 */
export const jobStages = ['queued', 'starting', 'unsettled', 'following', 'storing', 'done'] as const;
export type JobStage = (typeof jobStages)[number];

/** Our own id of a job, a UUID; the provider knows it as the correlation id. */
export type JobId = string & { readonly __brand: 'JobId' };

export interface Target {
  /** As the rule for handles has it (shared-types, network-username.ts), in the case of the request. */
  networkHandle: string;
  entity: ProfileEntity;
}

export interface Job extends Target {
  id: JobId;
  status: TrackerStatus;
  stage: JobStage;
  userCompanyId: string;
  triggerUserId: string | null;
  /** The caller that asked for the job, and the one that first asked to abort it; null when nobody was known. */
  triggeredBy: string | null;
  abortedBy: string | null;
  providerRunId: string | null;
  providerStatus: RunStatus | null;
  datasetId: string | null;
  postsCount: number | null;
  reactionsCount: number | null;
  commentsCount: number | null;
  leftOverCount: number;
  createdAt: Date;
  completedDate: Date | null;
  /** Public sentence about why the job failed. */
  error: string | null;
  input: RunInput;
  /** Rises with every claim of a start, so that the late outcome of an earlier claim is recognised. */
  startFence: number;
  startFailures: number;
  startCalledAt: Date | null;
  /** Moment from which the absence of a run proves that none was started. */
  settleAfter: Date | null;
  abortRequestedAt: Date | null;
  /** Items of the dataset that are stored so far. */
  itemsRead: number;
  /** Attempts of the present stage that failed in a row. */
  attempts: number;
  /** What its run cost, millionths of a US dollar; null until the run has ended. */
  costMicroUsd: number | null;
}

/** Two targets are the same when their keys are equal; the network ignores case in its addresses. */
export function targetKey(target: Target): string {
  return `${target.entity}:${target.networkHandle.toLowerCase()}`;
}
