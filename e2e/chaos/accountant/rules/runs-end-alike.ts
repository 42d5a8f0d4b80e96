import { startsOf } from '../evidence/ledger.js';
import type { Rule } from '../evidence/rule.types.js';

const statusOf: Record<string, string> = {
  SUCCEEDED: 'COMPLETED',
  FAILED: 'FAILED',
  'TIMED-OUT': 'FAILED',
  ABORTED: 'ABORTED',
};

export const runsEndAlike: Rule = {
  name: 'a job ends as its run did',
  check({ tracker, ledger }) {
    const runs = new Map(startsOf(ledger, 'run').map((run) => [run.id, run]));
    return tracker.flatMap(({ company, target, status, runId }) => {
      const name = `${company} ${target}`;
      if (runId === null) return status === 'COMPLETED' ? [`${name}: COMPLETED without a run`] : [];
      const run = runs.get(runId);
      if (!run) return [`${name}: the provider does not know run ${runId}`];
      const expected = statusOf[run.outcome ?? ''];
      return status === expected ? [] : [`${name}: ${status}, and its run ended ${run.outcome ?? 'not at all'}`];
    });
  },
};
