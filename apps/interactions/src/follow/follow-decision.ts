// What the status of a run at the provider means for its job (pipelines.md, States and transitions; DECISIONS: Tracker).
// TIMING-OUT and ABORTING are on their way to an end and change nothing yet. SUCCEEDED completes a job only once its
// items are stored, also when an abort was asked for in vain: the state tells what happened at the provider.
import type { RunStatus } from '@tradewind/scraping-provider';
import type { JobStage, TrackerStatus } from '../tracker/tracker.types.js';

export interface FollowDecision {
  /** State that callers see from now on; absent leaves it. */
  status?: Extract<TrackerStatus, 'RUNNING' | 'FAILED' | 'ABORTED'>;
  stage: Extract<JobStage, 'following' | 'storing' | 'done'>;
  /** Public sentence for FAILED. */
  error?: string;
}

export function decideByRunStatus(status: RunStatus): FollowDecision {
  switch (status) {
    case 'READY':
    case 'TIMING-OUT':
    case 'ABORTING':
      return { stage: 'following' };
    case 'RUNNING':
      return { status: 'RUNNING', stage: 'following' };
    case 'SUCCEEDED':
      // The run may have been too short for anybody to see it RUNNING; its job is at work until the items are stored.
      return { status: 'RUNNING', stage: 'storing' };
    case 'FAILED':
      return { status: 'FAILED', stage: 'done', error: 'The run failed at the provider' };
    case 'TIMED-OUT':
      return { status: 'FAILED', stage: 'done', error: 'The run took too long at the provider and was ended' };
    case 'ABORTED':
      return { status: 'ABORTED', stage: 'done' };
  }
}
