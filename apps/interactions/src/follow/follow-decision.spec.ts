import { describe, expect, it } from '@jest/globals';
import { isTerminalRunStatus, runStatuses } from '@tradewind/scraping-provider';
import { decideByRunStatus } from './follow-decision.js';
import { nextLookMs } from './follow-schedule.js';

describe('decideByRunStatus', () => {
  it.each([
    ['READY', undefined, 'following'],
    ['RUNNING', 'RUNNING', 'following'],
    ['TIMING-OUT', undefined, 'following'],
    ['ABORTING', undefined, 'following'],
    ['SUCCEEDED', 'RUNNING', 'storing'],
    ['FAILED', 'FAILED', 'done'],
    ['TIMED-OUT', 'FAILED', 'done'],
    ['ABORTED', 'ABORTED', 'done'],
  ] as const)('%s makes the job %s, and %s', (runStatus, status, stage) => {
    const decision = decideByRunStatus(runStatus);
    expect([decision.status, decision.stage]).toEqual([status, stage]);
    expect(decision.error !== undefined).toBe(status === 'FAILED');
  });

  it('goes on watching exactly the runs that have not ended', () => {
    for (const status of runStatuses) {
      expect(decideByRunStatus(status).stage === 'following').toBe(!isTerminalRunStatus(status));
    }
  });
});

describe('the schedule of looks', () => {
  it('is tight for young runs and wide for old ones', () => {
    expect([0, 59_999, 60_000, 1_199_999, 1_200_000, 1e9].map((ageMs) => nextLookMs(ageMs, 5_000))).toEqual([
      5_000, 5_000, 15_000, 15_000, 60_000, 60_000,
    ]);
  });
});
