import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

/** Each retry is recorded with what it started, once. */
export const retriesAgree: Rule = {
  name: 'a retry starts what it says, and is recorded',
  check({ told, retries }) {
    const asked = groupBy(toldOf(told, 'retry'), ({ month }) => month);
    const stored = new Map(retries.map((one) => [one.month, one]));
    return [...new Set([...asked.keys(), ...stored.keys()])].flatMap((month) => {
      const own = asked.get(month) ?? [];
      const answered = own.filter(({ result }) => result === 'ok');
      const unknown = own.filter(({ result }) => result === 'unknown').length;
      const started = answered.reduce((sum, one) => sum + one.started, 0);
      const { requests = 0, profiles = 0 } = stored.get(month) ?? {};
      const isRecorded = requests >= answered.length && requests <= answered.length + unknown;
      const isStarted = unknown === 0 ? profiles === started : profiles >= started;
      return [
        ...(isRecorded
          ? []
          : [`${month}: ${requests} retries recorded, ${answered.length} answered, ${unknown} without an answer`]),
        ...(isStarted ? [] : [`${month}: ${profiles} profiles started by retries, ${started} told`]),
      ];
    });
  },
};
