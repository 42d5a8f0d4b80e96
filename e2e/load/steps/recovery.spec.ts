import { describe, expect, it } from '@jest/globals';
import type { Sample } from '../generator/open-loop.js';
import { recoveryMs } from './recovery.js';

/** A request each 10 ms for 2 s, with another status or latency up to a moment. */
function phase(badUntilMs: number, bad: Partial<Sample>): Sample[] {
  return Array.from({ length: 200 }, (_, index) => {
    const good = { dueMs: 10 * index, latencyMs: 5, status: 200, hasRetryAfter: false, lateMs: 0 };
    return good.dueMs < badUntilMs ? { ...good, ...bad } : good;
  });
}

describe('the time to recover', () => {
  it('is none when every request is served in time', () => {
    expect(recoveryMs(phase(0, {}), 100)).toBe(0);
  });

  it.each([
    ['refused', { status: 503, hasRetryAfter: true }],
    ['late', { latencyMs: 101 }],
    ['lost', { status: undefined }],
  ])('lasts to the end of the last quarter of a second in which requests were %s', (_what, bad) => {
    expect(recoveryMs(phase(600, bad), 100)).toBe(750);
  });

  it('is unknown when requests fail to the end', () => {
    expect(recoveryMs(phase(2_000, { status: 500 }), 100)).toBeUndefined();
  });
});
