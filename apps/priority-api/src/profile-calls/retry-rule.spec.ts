import { describe, expect, it } from '@jest/globals';
import { lossOf } from './retry-rule.js';

describe('lossOf', () => {
  const result = { url: 'https://www.linkedin.com/in/ada' };
  it.each([
    ['still runs and is young', { status: 'RUNNING' as const, result: undefined }, 59_999, undefined],
    ['waits and is young', { status: 'QUEUED' as const, result: undefined }, 0, undefined],
    ['still runs and is overdue', { status: 'RUNNING' as const, result: undefined }, 60_000, 'has not ended'],
    ['has ended with a result', { status: 'SUCCEEDED' as const, result }, 1e9, undefined],
    ['has failed with a result', { status: 'FAILED' as const, result }, 1e9, undefined],
    ['has ended without a result', { status: 'SUCCEEDED' as const, result: undefined }, 0, 'has no result'],
    ['is not known', undefined, 0, 'does not know'],
  ])('of a scrape that %s', (_what, scrape, ageMs, expected) => {
    const loss = lossOf(scrape, ageMs, 60_000);
    if (expected === undefined) expect(loss).toBeUndefined();
    else expect(loss).toContain(expected);
  });
});
