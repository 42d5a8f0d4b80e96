import { groupBy, toldOf } from '../evidence/group-by.js';
import { overlaps, startsOf } from '../evidence/ledger.js';
import type { Rule } from '../evidence/rule.types.js';

/** Each target of the load belongs to one company and one intention. */
export const runsAreBoughtOnce: Rule = {
  name: 'no run is bought twice or for nobody',
  check({ told, tracker, ledger }) {
    const known = new Set(tracker.map(({ runId }) => runId));
    const asked = groupBy(toldOf(told, 'job'), ({ target }) => target);
    const findings: string[] = [];
    for (const [target, starts] of groupBy(startsOf(ledger, 'run'), (start) => start.target)) {
      for (const { id } of starts) if (!known.has(id)) findings.push(`${target}: run ${id} belongs to no job`);
      const mayHaveStarted = (asked.get(target) ?? []).filter(({ result }) => result !== 'refused').length;
      if (starts.length > mayHaveStarted) {
        findings.push(`${target}: ${starts.length} runs for ${mayHaveStarted} requests that may have started one`);
      }
      for (const later of overlaps(starts)) findings.push(`${target}: run ${later.id} began while another was active`);
    }
    return findings;
  },
};
