import { groupBy, toldOf } from '../evidence/group-by.js';
import { lostCountsOf } from '../evidence/lost-counts.js';
import type { Rule } from '../evidence/rule.types.js';

/** A call that was answered is counted, and nothing else is. A run over midnight is left out: it has two counters. */
export const countersAgree: Rule = {
  name: 'the counter of data calls agrees with the answers',
  check({ told, faults, quotas }) {
    const calls = toldOf(told, 'data call');
    const days = new Set(calls.map(({ atMs }) => new Date(atMs).toISOString().slice(0, 10)));
    if (days.size > 1) return [];
    return [...groupBy(calls, ({ user }) => user)].flatMap(([user, own]) => {
      const answered = own.filter(({ result }) => result === 'ok');
      const unknown = own.filter(({ result }) => result === 'unknown').length;
      const used = quotas.find((quota) => quota.user === user)?.used ?? 0;
      const least = answered.length - lostCountsOf(answered, faults);
      if (used >= least && used <= answered.length + unknown) return [];
      return [`${user}: ${used} counted, ${answered.length} answered and ${unknown} without an answer`];
    });
  },
};
