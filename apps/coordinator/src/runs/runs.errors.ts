import { ServiceError } from '@tradewind/shared-types';
import type { Run } from './run.entity.js';

/** A second start is refused. The answer names the run under way. */
export function runActive(run: Run | undefined): ServiceError {
  const which = run ? `Run ${run.runId} of ${run.month} is under way (${run.state})` : 'Another run is under way';
  return new ServiceError({
    code: 'run.active',
    status: 409,
    message: `${which}; only one run may be at a time`,
    retryable: true,
  });
}

/** Somebody else has taken the run over; this process must not touch it any more. */
export class RunTakenOver extends Error {
  constructor(runId: string) {
    super(`run ${runId} is held by another process`);
    this.name = 'RunTakenOver';
  }
}

/** The process is stopping; the run waits to be resumed. */
export class RunStopped extends Error {
  constructor(runId: string) {
    super(`run ${runId} was stopped before its end and can be resumed`);
    this.name = 'RunStopped';
  }
}
