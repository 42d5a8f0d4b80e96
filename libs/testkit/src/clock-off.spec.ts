import { describe, expect, it } from '@jest/globals';
import { withClockAt, withClockOff } from './clock-off.js';

describe('a clock that is off', () => {
  it('moves every way to ask for the time, and no instant that is given', async () => {
    const [real, earlier] = [Date.now(), new Date()];
    await withClockAt('2028-02-28T23:59:58Z', async () => {
      const texts = [new Date(Date.now()), new Date(), new Date(Date())].map((each) => each.toISOString().slice(0, 18));
      expect(texts).toEqual(Array<string>(3).fill('2028-02-28T23:59:5'));
      expect(new Date('2026-01-01T00:00:00Z').getTime()).toBe(Date.UTC(2026, 0, 1));
      expect([earlier instanceof Date, new Date() instanceof Date]).toEqual([true, true]);
      await withClockOff(-5000, async () => expect(Date.now()).toBeLessThan(real + 60_000));
      expect(new Date().getUTCFullYear()).toBe(2028);
    });
    expect(Date.now() - real).toBeLessThan(60_000);
  });

  it('is right again after a failure', async () => {
    await expect(withClockOff(1e9, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(new Date().getTime() - performance.timeOrigin - performance.now()).toBeLessThan(60_000);
  });
});
