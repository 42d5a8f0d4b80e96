import type { Rule } from '../evidence/rule.types.js';

const readyMsMax = 15_000;

export const readyInTime: Rule = {
  name: 'ready within 15 s of the end of a fault',
  check: ({ faults }) =>
    faults
      .filter(({ toMs, readyMs }) => Number.isFinite(toMs) && (readyMs === null || readyMs - toMs > readyMsMax))
      .map(
        ({ kind, detail, toMs, readyMs }) =>
          `${kind} (${detail}): ${readyMs === null ? 'not ready again' : `ready after ${(readyMs - toMs) / 1000} s`}`,
      ),
};
