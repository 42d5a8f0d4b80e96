import { describe, expect, it } from '@jest/globals';
import { RefusedWindows } from './refused-windows.js';

describe('RefusedWindows', () => {
  it('allows one audit row of a refused window a minute', () => {
    let nowMs = 1;
    const windows = new RefusedWindows({ now: () => nowMs });
    const due = [0, 1, 59_999, 60_001, 60_002, 130_000].map((ms) => {
      nowMs = 1 + ms;
      return windows.isDue('a');
    });
    expect(due).toEqual([true, false, false, true, false, true]);
    expect(windows.isDue('b')).toBe(true);
  });

  it('forgets the oldest window when there are too many', () => {
    const windows = new RefusedWindows();
    for (let n = 0; n < 10_001; n += 1) windows.isDue(`window ${n}`);
    expect(windows.isDue('window 10000')).toBe(false);
    expect(windows.isDue('window 0')).toBe(true);
  });
});
