import { describe, expect, it } from '@jest/globals';
import { AttemptsInFlight } from './attempts-in-flight.js';

/** The waiters that have been woken so far. */
async function woken(waits: (Promise<void> | undefined)[]): Promise<number[]> {
  const numbers: number[] = [];
  waits.forEach((wait, index) => void wait?.then(() => numbers.push(index)));
  await new Promise((resolve) => setImmediate(resolve));
  return numbers;
}

describe('AttemptsInFlight', () => {
  it('does not wait while no attempt is in flight in these windows', () => {
    const attempts = new AttemptsInFlight();
    expect(attempts.untilOneSettles(['account', 'ip'])).toBeUndefined();
    const settle = attempts.begin(['other account', 'other ip']);
    expect(attempts.untilOneSettles(['account', 'ip'])).toBeUndefined();
    settle(true);
    expect(attempts.untilOneSettles(['other account'])).toBeUndefined();
  });

  it('wakes one waiter for a success, none for a failure, and all when nothing is in flight any more', async () => {
    const attempts = new AttemptsInFlight();
    const settles = Array.from({ length: 4 }, () => attempts.begin(['account', 'ip']));
    const waits = Array.from({ length: 4 }, () => attempts.untilOneSettles(['account', 'ip']));
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
    expect(attempts.untilOneSettles(['account', 'ip'])).toBeUndefined();
    expect(attempts.untilOneSettles([])).toBeUndefined();
    expect(attempts.untilOneSettles(['ip'])).toBeDefined();
    settle(false);
  });
});
