import { describe, expect, it } from '@jest/globals';
import { AttemptsInFlight } from './attempts-in-flight.js';

/** The waiters that have been woken so far. */
async function woken(waits: Promise<void>[]): Promise<number[]> {
  const numbers: number[] = [];
  waits.forEach((wait, index) => void wait.then(() => numbers.push(index)));
  await new Promise((resolve) => setImmediate(resolve));
  return numbers;
}

describe('AttemptsInFlight', () => {
  it('does not wait while no attempt is in flight in these windows', () => {
    const attempts = new AttemptsInFlight();
    expect(attempts.leavingRoom(['account', 'ip'])).toBeUndefined();
    const settle = attempts.begin(['other account', 'other ip']);
    expect(attempts.leavingRoom(['account', 'ip'])).toBeUndefined();
    settle(true);
    expect(attempts.leavingRoom(['other account'])).toBeUndefined();
  });

  it('wakes one waiter for a success, none for a failure, and all when nothing is in flight any more', async () => {
    const attempts = new AttemptsInFlight();
    const settles = Array.from({ length: 4 }, () => attempts.begin(['account', 'ip']));
    const waits = Array.from({ length: 4 }, () => attempts.wait('account', attempts.arrive()));
    expect(attempts.waiting).toBe(4);
    settles[0]!(false);
    expect(await woken(waits)).toEqual([]);
    settles[1]!(true);
    expect(await woken(waits)).toEqual([0]);
    settles[2]!(true);
    expect(await woken(waits)).toEqual([0, 1]);
    settles[3]!(false);
    expect(await woken(waits)).toEqual([0, 1, 2, 3]);
    expect(attempts.waiting).toBe(0);
  });

  it('does not wait when one of the full windows holds only failures', () => {
    const attempts = new AttemptsInFlight();
    const settle = attempts.begin(['somebody else', 'ip']);
    expect(attempts.leavingRoom(['account', 'ip'])).toBeUndefined();
    expect(attempts.leavingRoom([])).toBeUndefined();
    expect(attempts.leavingRoom(['ip'])).toBe('ip');
    settle(false);
  });

  it('wakes in the order of arrival, also those who wait again', async () => {
    const attempts = new AttemptsInFlight();
    const settles = Array.from({ length: 3 }, () => attempts.begin(['ip']));
    const [first, second, third] = [attempts.arrive(), attempts.arrive(), attempts.arrive()];
    const waits = [attempts.wait('ip', third), attempts.wait('ip', first), attempts.wait('ip', second)];
    settles[0]!(true);
    expect(await woken(waits)).toEqual([1]);
    settles[1]!(true);
    expect(await woken(waits)).toEqual([1, 2]);
    settles[2]!(true);
  });

  it('says which windows others wait for, and gives a place that nobody took to the next', async () => {
    const attempts = new AttemptsInFlight();
    const settle = attempts.begin(['account', 'ip']);
    expect(attempts.waitedFor(['account', 'ip'])).toBeUndefined();
    const waits = [attempts.wait('ip', attempts.arrive())];
    expect(attempts.waitedFor(['account', 'ip'])).toBe('ip');
    expect(attempts.waitedFor(['account'])).toBeUndefined();
    attempts.passOn('ip');
    expect(await woken(waits)).toEqual([0]);
    attempts.passOn('ip');
    attempts.passOn('nothing in flight');
    settle(true);
  });
});
