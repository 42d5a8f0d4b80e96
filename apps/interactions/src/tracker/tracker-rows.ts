// How a row of the tracker becomes a Job.
import type { ProfileEntity, RunInput, RunStatus } from '@tradewind/scraping-provider';
import type { Job, JobId, JobStage, TrackerStatus } from './tracker.types.js';

export const jobColumns = `job_id, "networkUsername", "entityType", status, stage, user_company_id, trigger_user_id,
  triggered_by, aborted_by, provider_run_id, provider_status, dataset_id, posts_count, reactions_count, comments_count, left_over_count,
  created_at, completed_date, error, input, start_fence, start_failures, start_called_at, settle_after,
  abort_requested_at, items_read, attempts, cost_micro_usd`;

export interface JobRow {
  job_id: string;
  networkUsername: string;
  entityType: ProfileEntity;
  status: TrackerStatus;
  stage: JobStage;
  user_company_id: string;
  trigger_user_id: string | null;
  triggered_by: string | null;
  aborted_by: string | null;
  provider_run_id: string | null;
  provider_status: RunStatus | null;
  dataset_id: string | null;
  posts_count: number | null;
  reactions_count: number | null;
  comments_count: number | null;
  left_over_count: number;
  created_at: Date;
  completed_date: Date | null;
  error: string | null;
  input: RunInput;
  start_fence: number;
  start_failures: number;
  start_called_at: Date | null;
  settle_after: Date | null;
  abort_requested_at: Date | null;
  items_read: number;
  attempts: number;
  /** A bigint, which the driver gives as text. */
  cost_micro_usd: string | null;
}

export function toJob(row: JobRow): Job {
  return {
    id: row.job_id as JobId,
    networkHandle: row.networkUsername,
    entity: row.entityType,
    status: row.status,
    stage: row.stage,
    userCompanyId: row.user_company_id,
    triggerUserId: row.trigger_user_id,
    triggeredBy: row.triggered_by,
    abortedBy: row.aborted_by,
    providerRunId: row.provider_run_id,
    providerStatus: row.provider_status,
    datasetId: row.dataset_id,
    postsCount: row.posts_count,
    reactionsCount: row.reactions_count,
    commentsCount: row.comments_count,
    leftOverCount: row.left_over_count,
    createdAt: row.created_at,
    completedDate: row.completed_date,
    error: row.error,
    input: row.input,
    startFence: row.start_fence,
    startFailures: row.start_failures,
    startCalledAt: row.start_called_at,
    settleAfter: row.settle_after,
    abortRequestedAt: row.abort_requested_at,
    itemsRead: row.items_read,
    attempts: row.attempts,
    costMicroUsd: row.cost_micro_usd === null ? null : Number(row.cost_micro_usd),
  };
}
