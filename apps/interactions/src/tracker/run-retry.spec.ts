import { describe, expect, it } from '@jest/globals';
import { retryAfterFailureMs } from './run-retry.js';

describe('retryAfterFailureMs', () => {
  it('backs off from a second to a minute when the provider fails', () => {
    expect([0, 1, 5, 6, 100].map(retryAfterFailureMs)).toEqual([1_000, 2_000, 32_000, 60_000, 60_000]);
  });
});
