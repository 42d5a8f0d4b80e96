import { describe, expect, it } from '@jest/globals';
import { RequestsUnderWay } from './requests-under-way.js';

/** A route with a clock of its own. */
function route(max = 500) {
  let nowMs = 0;
  let number = 0;
  const open: number[] = [];
  const underWay = new RequestsUnderWay<number>(max, () => nowMs);
  return {
    open,
    /** Requests that come at once; returns how many are taken. */
    offer: (count: number): number => {
      const before = open.length;
      for (let one = 0; one < count && !underWay.isFull; one += 1) {
        open.push((number += 1));
        underWay.begin(number);
      }
      return open.length - before;
    },
    /** Ends the oldest requests, one after each so many milliseconds. */
    work: (count: number, msEach: number): void => {
      for (const request of open.splice(0, count)) {
        nowMs += msEach;
        underWay.end(request);
      }
    },
  };
}

/** Twice as many requests as can be served, for a long time. */
function overload({ offer, work }: ReturnType<typeof route>, msEach: number) {
  for (let round = 0; round < 2_000; round += 1) {
    offer(2);
    work(1, msEach);
  }
}

describe('the requests of a route that are under way', () => {
  it('are as many as the limit allows while nothing is known of their time', () => {
    expect(route(200).offer(1_000)).toBe(200);
  });

  it.each([
    [0.5, 500],
    [2, 250],
    [5, 150],
    [40, 150],
  ])('are so few in an overload, at one in %d ms, that the last waits half a second, or 150: %d', (msEach, most) => {
    const overloaded = route();
    overload(overloaded, msEach);
    expect(overloaded.open.length).toBeGreaterThanOrEqual(most - 2);
    expect(overloaded.open.length).toBeLessThanOrEqual(most + 2);
  });

  it('are as many as before soon after a dependency was slow', () => {
    const slowed = route();
    overload(slowed, 40);
    overload(slowed, 1);
    expect(slowed.open.length).toBeGreaterThan(490);
  });

  it('are not more while none ends, and as many as before when the pause is over', () => {
    const paused = route();
    overload(paused, 2);
    paused.work(1, 30_000);
    expect(paused.offer(1_000)).toBe(0);
    overload(paused, 1);
    expect(paused.open.length).toBeGreaterThan(490);
  });

  it('have no time while they are few: rare requests say nothing of what a pod can do', () => {
    const quiet = route(200);
    for (let one = 0; one < 1_000; one += 1) {
      quiet.offer(1);
      quiet.work(1, 5_000);
    }
    expect(quiet.offer(1_000)).toBe(200);
  });
});
