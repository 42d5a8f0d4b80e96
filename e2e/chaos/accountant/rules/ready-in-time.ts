import { lastEndOf } from '../evidence/last-end.js';
import type { Rule } from '../evidence/rule.types.js';

const readyMsMax = 15_000;

export const readyInTime: Rule = {
  name: 'ready within 15 s of the end of a fault',
  check: ({ faults }) =>
    faults.flatMap((fault) => {
      const { kind, detail, readyMs } = fault;
      const endMs = lastEndOf(fault, faults);
      if (!Number.isFinite(endMs) || (readyMs !== null && readyMs - endMs <= readyMsMax)) return [];
      return [
        `${kind} (${detail}): ${readyMs === null ? 'not ready again' : `ready after ${(readyMs - endMs) / 1000} s`}`,
      ];
    }),
};
