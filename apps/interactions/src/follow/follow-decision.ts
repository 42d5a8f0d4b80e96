// What the status of a run at the provider means for its job (pipelines.md, States and transitions; DECISIONS:
// Tracker). SUCCEEDED completes a job only once its items are stored, even when an abort was requested too late. The
// tracker says what happened at the provider.
import type { RunStatus } from '@tradewind/scraping-provider';
import type { TransitionName } from '../tracker/transitions.js';

export interface FollowDecision {
  transition: TransitionName;
  /** Public sentence for FAILED. */
  error?: string;
}

export const decisionByRunStatus: Record<RunStatus, FollowDecision> = {
  READY: { transition: 'runUnchanged' },
  // These two end soon.
  'TIMING-OUT': { transition: 'runUnchanged' },
  ABORTING: { transition: 'runUnchanged' },
  RUNNING: { transition: 'runRunning' },
  SUCCEEDED: { transition: 'runSucceeded' },
  FAILED: { transition: 'runFailed', error: 'The run failed at the provider' },
  'TIMED-OUT': { transition: 'runFailed', error: 'The run took too long at the provider and was ended' },
  ABORTED: { transition: 'runAborted' },
};
