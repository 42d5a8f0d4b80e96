import type { BegunRun } from './runs.service.js';

/** What `POST /run` and the command say about a run that has begun. */
export function runMessage({ run, outcome }: Pick<BegunRun, 'run' | 'outcome'>): string {
  switch (outcome) {
    case 'started':
      return `Run ${run.runId} of ${run.month} has started.`;
    case 'resumed':
      return `Run ${run.runId} of ${run.month} was unfinished and is resumed.`;
    case 'already_published':
      return run.state === 'completed'
        ? `${run.month} has been published by run ${run.runId}; nothing new is published unless forced.`
        : `${run.month} has been published; run ${run.runId} publishes only people who are new since.`;
  }
}
