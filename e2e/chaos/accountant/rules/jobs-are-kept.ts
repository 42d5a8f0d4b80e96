import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

const ends = ['COMPLETED', 'FAILED', 'ABORTED'];

/** What the load was told about a job is in the tracker, once, and every job has ended. */
export const jobsAreKept: Rule = {
  name: 'no job is lost, and every job ends',
  check({ told, tracker }) {
    const byRun = groupBy(tracker, ({ runId }) => runId ?? '');
    const byTarget = groupBy(tracker, ({ company, target }) => `${company} ${target}`);
    const findings: string[] = [];
    for (const { company, target, result, runId } of toldOf(told, 'job')) {
      if (result === 'pending' && !byTarget.has(`${company} ${target}`)) {
        findings.push(`${company} ${target}: told PENDING, and not in the tracker`);
      }
      if (result !== 'ok') continue;
      const rows = byRun.get(runId ?? '') ?? [];
      if (runId === undefined || rows.length !== 1 || rows[0]?.company !== company || rows[0].target !== target) {
        findings.push(`${company} ${target}: told run ${runId}, which the tracker has ${rows.length} times`);
      }
    }
    const asked = new Set(toldOf(told, 'job').map(({ company, target }) => `${company} ${target}`));
    for (const { company, target, status } of tracker) {
      if (!asked.has(`${company} ${target}`))
        findings.push(`${company} ${target}: in the tracker, and nobody asked for it`);
      if (!ends.includes(status)) findings.push(`${company} ${target}: still ${status} at the end`);
    }
    return findings;
  },
};
