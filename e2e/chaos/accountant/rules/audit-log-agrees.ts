import type { FaultWindow } from '../../log/log.types.js';
import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

/** Entries of the last moment before a kill -9 are lost, as the gateway says. */
const unwrittenMs = 2_000;

/** From when on entries were not written when this ended the gateway: they also wait while the database is away. */
function unwrittenFromMs(kill: FaultWindow, faults: readonly FaultWindow[]): number {
  const outages = faults.filter(({ parts, fromMs }) => parts.includes('postgresql') && fromMs <= kill.fromMs);
  return outages
    .toSorted((one, other) => other.toMs - one.toMs)
    .reduce(
      (fromMs, outage) => (outage.toMs > fromMs ? Math.min(fromMs, outage.fromMs - unwrittenMs) : fromMs),
      kill.fromMs - unwrittenMs,
    );
}

export const auditLogAgrees: Rule = {
  name: 'the audit log has every use of a key',
  check({ told, faults, auditedUses }) {
    const kills = faults.filter(({ kind, parts }) => kind.startsWith('kill -9') && parts.includes('graphql-gateway'));
    return [...groupBy(toldOf(told, 'data call'), ({ keyHash }) => keyHash)].flatMap(([keyHash, calls]) => {
      const answered = calls.filter(({ result }) => result === 'ok');
      const mayBeLost = answered.filter(({ atMs }) =>
        kills.some((kill) => atMs > unwrittenFromMs(kill, faults) && atMs <= kill.fromMs),
      ).length;
      const count = auditedUses.find((one) => one.keyHash === keyHash)?.count ?? 0;
      if (count >= answered.length - mayBeLost && count <= calls.length) return [];
      return [`key ${keyHash.slice(0, 8)}: ${count} uses in the audit log, ${answered.length} answered`];
    });
  },
};
