import { describe, expect, it } from '@jest/globals';
import { pauseAfter } from './provider-pause.js';

const detail = '';
const full = (retryAfterMs: number) => ({ outcome: 'no_capacity', retryAfterMs, detail }) as const;
const unreachable = { outcome: 'unavailable', retryAfterMs: 5_000, detail } as const;
const silent = { outcome: 'unknown_outcome', status: undefined, detail } as const;

describe('pauseAfter', () => {
  it('pauses at the first refusal for capacity, never shorter than the provider asks for', () => {
    for (const failures of [0, 1, 5, 50]) {
      for (const retryAfterMs of [0, 2_000, 86_400_000]) {
        expect(pauseAfter(full(retryAfterMs), failures)?.pauseMs).toBeGreaterThanOrEqual(retryAfterMs);
      }
    }
  });

  it('pauses longer with refusals in a row, to eight times at most, and adds up to a fifth', () => {
    const pauses = [0, 1, 2, 3, 4, 30].map((failures) => pauseAfter(full(1_000), failures, 0)?.pauseMs);
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
    expect(pauseAfter(full(1_000), 0, 1)).toEqual({ kind: 'capacity', pauseMs: 1_200 });
  });

  it('pauses longer than five minutes only if the provider asks for that', () => {
    expect(pauseAfter(full(60_000), 3, 0)?.pauseMs).toBe(300_000);
    expect(pauseAfter(full(600_000), 3, 0)?.pauseMs).toBe(600_000);
  });

  it('pauses at the second of two starts in a row that find the provider down, and not at the first', () => {
    expect([0, 1, 2, 30].map((failures) => pauseAfter(silent, failures)?.pauseMs)).toEqual([0, 2_000, 2_000, 2_000]);
    expect([0, 1].map((failures) => pauseAfter(unreachable, failures))).toEqual([
      { kind: 'outage', pauseMs: 0 },
      { kind: 'outage', pauseMs: 5_000 },
    ]);
  });

  it('lets nothing wait for one start that the provider refuses', () => {
    expect(pauseAfter({ outcome: 'refused', status: 400, detail }, 30)).toBeUndefined();
  });
});
