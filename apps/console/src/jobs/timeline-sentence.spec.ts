import { describe, expect, it } from '@jest/globals';
import { sentenceOf } from './timeline-sentence.js';

describe('an entry of a timeline in words', () => {
  it.each([
    [
      { kind: 'transition', details: { stage: 'STARTED', status: 'RUNNING', run_status: 'READY' } },
      'The job is running, stage started, the run is ready',
    ],
    [
      { kind: 'transition', details: { stage: 'ENDED', status: 'FAILED', error: 'The run FAILED' } },
      'The job is failed, stage ended, The run FAILED',
    ],
    [
      { kind: 'provider_call', details: { operation: 'start', outcome: 'started', ms: 120 } },
      'Start of a run: started, 120 ms',
    ],
    [{ kind: 'provider_call', details: { operation: 'new_call', outcome: 'ok' } }, 'Call new call: ok'],
    [
      { kind: 'webhook', details: { event_type: 'RUN.SUCCEEDED', outcome: 'received' } },
      'Webhook run.succeeded: received',
    ],
    [{ kind: 'webhook', details: { outcome: 'refused', reason: 'bad_secret' } }, 'Webhook: refused, bad secret'],
  ] as const)('%j', (entry, words) => {
    expect(sentenceOf(entry)).toBe(words);
  });
});
