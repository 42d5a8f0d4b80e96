import { describe, expect, it } from '@jest/globals';
import { pauseMsForCapacity, StartWindow } from './provider-pause.js';

describe('StartWindow', () => {
  it('halves at each refusal, down to one, and widens with each start, up to its limit', () => {
    const window = new StartWindow(8);
    const sizes = [window.open];
    for (let refusal = 0; refusal < 5; refusal++) {
      window.noCapacity();
      sizes.push(window.open);
    }
    for (let start = 0; start < 9; start++) {
      window.started();
      sizes.push(window.open);
    }
    expect(sizes).toEqual([8, 4, 2, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8]);
  });

  it('pauses after three refusals or two missing answers in a row, and not before', () => {
    const window = new StartWindow(8);
    expect([window.noCapacity(), window.noCapacity(), window.noCapacity()]).toEqual([false, false, true]);
    window.started();
    expect([window.noAnswer(), window.noCapacity(), window.noAnswer()]).toEqual([false, false, true]);
    window.started();
    expect([window.noAnswer(), window.noCapacity()]).toEqual([false, false]);
  });
});

describe('pauseMsForCapacity', () => {
  it('is never shorter than the provider asks for', () => {
    for (const refusals of [0, 1, 5, 50]) {
      expect(pauseMsForCapacity(2_000, refusals, () => 0)).toBeGreaterThanOrEqual(2_000);
    }
  });

  it('grows with refusals in a row, to eight times at most', () => {
    const pauses = [0, 1, 2, 3, 4, 30].map((refusals) => pauseMsForCapacity(1_000, refusals, () => 0));
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });
});
