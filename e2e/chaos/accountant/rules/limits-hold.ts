import { groupBy, toldOf } from '../evidence/group-by.js';
import { lostCountsOf } from '../evidence/lost-counts.js';
import type { Rule } from '../evidence/rule.types.js';

export const limitsHold: Rule = {
  name: 'no limit is exceeded',
  check({ told, faults, limits }) {
    const findings: string[] = [];
    const calls = toldOf(told, 'data call').filter(({ result }) => result === 'ok');
    const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
    for (const [userAndDay, own] of groupBy(calls, ({ user, atMs }) => `${user} ${dayOf(atMs)}`)) {
      const may = limits.dataCallsPerDay + lostCountsOf(own, faults);
      if (own.length > may) findings.push(`${userAndDay}: ${own.length} data calls, ${may} are allowed`);
    }
    const guesses = toldOf(told, 'wrong password').filter(({ result }) => result === 'wrong');
    for (const [account, own] of groupBy(guesses, (guess) => guess.account)) {
      if (own.length <= limits.wrongPasswords) continue;
      findings.push(`${account}: ${own.length} wrong passwords, ${limits.wrongPasswords} are allowed`);
    }
    const made = toldOf(told, 'client').filter(({ use, result }) => use === 'register' && result === 'ok');
    const hours = made.length === 0 ? 1 : Math.ceil((made.at(-1)!.atMs - made[0]!.atMs + 1) / 3_600_000);
    const mayRegister = limits.registrationsPerHour * hours;
    if (made.length > mayRegister) findings.push(`${made.length} registrations, ${mayRegister} are allowed`);
    return findings;
  },
};
