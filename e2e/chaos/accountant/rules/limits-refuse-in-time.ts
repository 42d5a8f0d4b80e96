import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

/** A request that counts may be answered this much later than one that it refuses: the longest wait of the load. */
const answerMs = 35_000;

/** Refused although fewer requests were answered, or may have been counted without an answer, than the limit allows. */
export const limitsRefuseInTime: Rule = {
  name: 'no limit refuses before it is reached',
  check({ told, limits }) {
    const calls = toldOf(told, 'data call').map(({ atMs, user, result }) => ({
      ...{ atMs, result, what: `data calls of ${user} on ${new Date(atMs).toISOString().slice(0, 10)}` },
      limit: limits.dataCallsPerDay,
    }));
    const guesses = toldOf(told, 'wrong password').map(({ atMs, account, result }) => ({
      ...{ atMs, result: result === 'throttled' ? 'refused' : result, what: `wrong passwords of ${account}` },
      limit: limits.wrongPasswords,
    }));
    const registrations = toldOf(told, 'client')
      .filter(({ use }) => use === 'register')
      .map(({ atMs, result }) => ({ atMs, result, what: 'registrations', limit: limits.registrationsPerHour }));
    return [...groupBy([...calls, ...guesses, ...registrations], ({ what }) => what)].flatMap(([what, entries]) => {
      const first = entries.find(({ result }) => result === 'refused');
      if (!first) return [];
      const counted = entries.filter(
        ({ atMs, result }) => result !== 'refused' && atMs <= first.atMs + answerMs,
      ).length;
      return counted >= first.limit ? [] : [`${what}: refused after ${counted}, ${first.limit} are allowed`];
    });
  },
};
