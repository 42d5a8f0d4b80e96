import { groupBy, toldOf } from '../evidence/group-by.js';
import type { EndedAccess, FaultWindow, PartName } from '../../log/log.types.js';
import type { Rule } from '../evidence/rule.types.js';

/**
 * What is promised, in milliseconds after the command or the form. The gateway learns from identity whose keys end: 10
 * s in all while both work, and 2 s for a busy machine. Meanwhile, as the specification says, at most a minute.
 */
const promised: Record<EndedAccess, { ms: number; needs: readonly PartName[] }> = {
  'revoked key': { ms: 5_000, needs: [] },
  'key of a disabled user': { ms: 12_000, needs: ['graphql-gateway', 'identity', 'postgresql'] },
  'session of a disabled user': { ms: 0, needs: [] },
  'ended by its user': { ms: 0, needs: [] },
};
const latestMs = 60_000;

export const endedAccessIsRefused: Rule = {
  name: 'what was revoked, disabled or ended is refused after the agreed delay',
  check({ told, faults }) {
    return [...groupBy(toldOf(told, 'ended access'), ({ subject }) => subject)].flatMap(([subject, entries]) => {
      const ended = entries.find(({ use, result }) => use === 'end' && result === 'ok');
      if (!ended) return [];
      return entries
        .filter(({ use, result, sentMs }) => {
          if (use !== 'try' || result !== 'ok') return false;
          return sentMs > mayWorkUntil(ended.kind, ended.atMs, sentMs, faults);
        })
        .map(({ kind, sentMs }) => `${kind}, ${subject}: accepted ${(sentMs - ended.atMs) / 1000} s after its end`);
    });
  },
};

function mayWorkUntil(kind: EndedAccess, endedMs: number, sentMs: number, faults: readonly FaultWindow[]): number {
  const { ms, needs } = promised[kind];
  const recoveries = faults
    .filter(({ parts, fromMs }) => fromMs < sentMs && parts.some((part) => needs.includes(part)))
    .map(({ readyMs, toMs }) => readyMs ?? toMs);
  return Math.min(Math.max(endedMs, ...recoveries) + ms, endedMs + Math.max(ms, latestMs));
}
