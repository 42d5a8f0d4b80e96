import { describe, expect, it } from '@jest/globals';
import { retry, type RetryOptions } from './retry.js';

const options: RetryOptions = { attempts: 3, backoffMsMin: 1, backoffMsMax: 2, isRetryable: () => true };

describe('retry', () => {
  it('returns the first success', async () => {
    expect(
      await retry(async (attempt) => {
        if (attempt < 3) throw new Error('not yet');
        return attempt;
      }, options),
    ).toBe(3);
  });

  it('gives up after the attempts with the last error', async () => {
    let calls = 0;
    const call = async () => {
      calls += 1;
      throw new Error(`failure ${calls}`);
    };
    await expect(retry(call, options)).rejects.toThrow('failure 3');
    expect(calls).toBe(3);
  });

  it('does not repeat what is final, nor anything once it is aborted', async () => {
    let calls = 0;
    const call = async () => {
      calls += 1;
      throw new Error('final');
    };
    await expect(retry(call, { ...options, isRetryable: () => false })).rejects.toThrow('final');
    await expect(retry(call, { ...options, signal: AbortSignal.abort() })).rejects.toThrow('final');
    expect(calls).toBe(2);
  });
});
