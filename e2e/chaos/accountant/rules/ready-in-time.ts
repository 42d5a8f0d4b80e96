import { lastEndOf } from '../evidence/last-end.js';
import type { Rule } from '../evidence/rule.types.js';

export const readyInTime: Rule = {
  name: 'ready in time after the end of a fault',
  check: ({ faults, limits }) =>
    faults.flatMap((fault) => {
      const { kind, detail, readyMs } = fault;
      const endMs = lastEndOf(fault, faults);
      if (!Number.isFinite(endMs) || (readyMs !== null && readyMs - endMs <= limits.recoveryMs)) return [];
      return [
        `${kind} (${detail}): ${readyMs === null ? 'not ready again' : `ready after ${(readyMs - endMs) / 1000} s`}`,
      ];
    }),
};
