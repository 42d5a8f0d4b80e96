import { describe, expect, it } from '@jest/globals';
import { RefusedWindows } from './refused-windows.js';

describe('RefusedWindows', () => {
  it('lets one refusal of a window be written in a minute', () => {
    const windows = new RefusedWindows();
    const due = [0, 1, 59_999, 60_000, 60_001, 130_000].map((nowMs) => windows.isDue('a', nowMs));
    expect(due).toEqual([true, false, false, true, false, true]);
    expect(windows.isDue('b', 1)).toBe(true);
  });

  it('forgets the oldest window when there are too many', () => {
    const windows = new RefusedWindows();
    for (let n = 0; n < 10_001; n += 1) windows.isDue(`window ${n}`, 0);
    expect(windows.isDue('window 10000', 1)).toBe(false);
    expect(windows.isDue('window 0', 1)).toBe(true);
  });
});
