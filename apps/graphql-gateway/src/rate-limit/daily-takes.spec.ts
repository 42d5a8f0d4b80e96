import { describe, expect, it } from '@jest/globals';
import { DailyTakes } from './daily-takes.js';

const user = { userId: 'a', day: '2026-11-22', cost: 1 };

/** Takes of which the database knows `used` units, answered when `answer` is called. */
function takesOf(limit: number, used: number) {
  let answer: () => void = () => undefined;
  const answered = () =>
    new Promise<void>((resolve) => {
      answer = resolve;
    });
  const takes = new DailyTakes(async (_name, _text, values) => {
    await answered();
    const [users, days, costs] = values as [string[], string[], number[]];
    return users.map((userId, index) => [userId, days[index]!, String((used += costs[index]!))]);
  }, limit);
  const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
  return {
    takes,
    answer: async () => {
      await turn();
      answer();
      await turn();
    },
  };
}

describe('DailyTakes', () => {
  it('expects nothing of a user it has not seen', () => {
    expect(takesOf(10, 0).takes.isExpectedToPass(user)).toBe(false);
  });

  it('expects a take to pass while the units, those under way included, stay within the limit', async () => {
    const { takes, answer } = takesOf(10, 6);
    const first = takes.take(user);
    expect(takes.isExpectedToPass(user)).toBe(false);
    await answer();
    expect(await first).toEqual({ isAllowed: true, used: 7 });
    expect(takes.isExpectedToPass({ ...user, cost: 3 })).toBe(true);
    expect(takes.isExpectedToPass({ ...user, cost: 4 })).toBe(false);
    const second = takes.take({ ...user, cost: 2 });
    expect(takes.isExpectedToPass(user)).toBe(true);
    expect(takes.isExpectedToPass({ ...user, cost: 2 })).toBe(false);
    await answer();
    await second;
    expect(takes.isExpectedToPass(user)).toBe(true);
    expect(takes.isExpectedToPass({ ...user, day: '2026-11-23' })).toBe(false);
  });

  it('no longer counts a take that failed', async () => {
    let isAway = false;
    const takes = new DailyTakes(async (_name, _text, values) => {
      if (isAway) throw new Error('away');
      return [[(values[0] as string[])[0]!, user.day, '9']];
    }, 10);
    await takes.take(user);
    isAway = true;
    const failed = takes.take(user);
    expect(takes.isExpectedToPass(user)).toBe(false);
    await expect(failed).rejects.toThrow('away');
    expect(takes.isExpectedToPass(user)).toBe(true);
  });
});
