import { describe, expect, it } from '@jest/globals';
import { isTerminalRunStatus, runStatuses } from '@tradewind/scraping-provider';
import { transitions, type Transition } from '../tracker/transitions.js';
import { decisionByRunStatus } from './follow-decision.js';
import { nextLookMs } from './follow-schedule.js';

describe('decisionByRunStatus', () => {
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
    const { transition, error } = decisionByRunStatus[runStatus];
    const next: Transition = transitions[transition];
    expect([next.from, next.status, next.to]).toEqual([['following'], status, stage]);
    expect(error !== undefined).toBe(status === 'FAILED');
  });

  it('a run is watched until it ends, and no longer', () => {
    for (const status of runStatuses) {
      const { to } = transitions[decisionByRunStatus[status].transition];
      expect(to === 'following').toBe(!isTerminalRunStatus(status));
    }
  });
});

describe('the schedule of looks', () => {
  it('looks often at young runs and rarely at old ones', () => {
    expect([0, 59_999, 60_000, 1_199_999, 1_200_000, 1e9].map((ageMs) => nextLookMs(ageMs, 5_000))).toEqual([
      5_000, 5_000, 15_000, 15_000, 60_000, 60_000,
    ]);
  });
});
