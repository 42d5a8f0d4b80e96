import { describe, expect, it } from '@jest/globals';
import type { LoadOperation } from '../operations/operation.types.js';
import type { OverloadResult, OverloadStep } from './overload.js';
import { findingsOf } from './rules.js';

const operation = { name: 'ping', service: 'identity', p99MsMax: 200, ratePerSecondMin: 10 } as LoadOperation;
const good = {
  ...{ sent: 800, served: 800, refused: 0, failed: {}, p50Ms: 1, p99Ms: 1, refusalP99Ms: 0, lateP99Ms: 0 },
};

function result(own: Partial<OverloadResult>, lastStep: Partial<OverloadStep> = {}): OverloadResult {
  const step = { factor: 1, ratePerSecond: 100, summary: good, memoryBytes: 2e8, handles: 30 };
  return {
    ...{ operation, heldPerSecond: 100, memoryBytesBefore: 2e8, recoveryMs: 0, isSameProcess: true },
    steps: [step, { ...step, factor: 4, ...lastStep }],
    ...own,
  };
}

describe('the rules beyond the limit', () => {
  it('accept refusals in time', () => {
    expect(findingsOf(result({}, { summary: { ...good, served: 200, refused: 600 } }))).toEqual([]);
  });

  it('give an operation the time that it names', () => {
    const slow = { ...operation, p99MsMaxBeyond: 4_000 };
    expect(findingsOf(result({ operation: slow }, { summary: { ...good, p99Ms: 4_000 } }))).toEqual([]);
    expect(findingsOf(result({ operation: slow }, { summary: { ...good, p99Ms: 4_001 } }))).toHaveLength(1);
  });

  it('take latencies and missing answers for the generator’s when it was late itself', () => {
    const late = { ...good, lateP99Ms: 101, p99Ms: 3_000, failed: { none: 5 } };
    expect(findingsOf(result({}, { summary: late }))).toEqual([]);
    expect(findingsOf(result({}, { summary: { ...late, failed: { none: 5, '500': 1 } } }))).toHaveLength(1);
  });

  it.each<[string, OverloadResult]>([
    ['answers were 2 × none', result({}, { summary: { ...good, failed: { none: 2 }, lateP99Ms: 100 } })],
    ['holds not even 10/s', result({ heldPerSecond: 0, steps: [] })],
    ['the service was restarted', result({ isSameProcess: false })],
    ['answers were 3 × 500', result({}, { summary: { ...good, failed: { '500': 3 } } })],
    ['nothing was served', result({}, { summary: { ...good, served: 0, refused: 800 } })],
    ['9 of 800 requests were refused', result({}, { factor: 1, summary: { ...good, refused: 9 } })],
    ['p99 of the served requests was 1001 ms', result({}, { summary: { ...good, p99Ms: 1_001 } })],
    ['memory grew to 381 MB', result({}, { memoryBytes: 4e8 })],
    ['only after 2250 ms', result({ recoveryMs: 2_250 })],
    ['only after more than 5,000 ms', result({ recoveryMs: undefined })],
  ])('find that %s', (finding, found) => {
    expect(findingsOf(found)).toEqual([expect.stringContaining(finding)]);
  });
});
