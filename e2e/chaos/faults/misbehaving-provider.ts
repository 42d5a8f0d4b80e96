import { call } from '../../src/http.js';
import type { FaultKind } from './fault.types.js';

const faults = [
  { on: 'run.start', kind: 'error_before' },
  { on: 'run.start', kind: 'error_after' },
  { on: 'run.start', kind: 'reset_after' },
  { on: 'run.start', kind: 'rate_limited', retryAfterSeconds: 1 },
  { on: 'run.start', kind: 'no_capacity' },
  { on: 'run.get', kind: 'error_before' },
  { on: 'dataset.items', kind: 'error_before' },
  { on: 'run', kind: 'fail' },
  { on: 'run', kind: 'time_out' },
  { on: 'run.webhook', kind: 'twice' },
  { on: 'run.webhook', kind: 'never' },
  { on: 'run.webhook', kind: 'before_answer' },
  { on: 'profile.start', kind: 'error_before' },
  { on: 'profile.start', kind: 'error_after' },
  { on: 'profile.start', kind: 'reset_after' },
  { on: 'profile.start', kind: 'rate_limited', retryAfterSeconds: 1 },
  { on: 'profile', kind: 'fail' },
  { on: 'profile.webhook', kind: 'twice' },
  { on: 'profile.webhook', kind: 'late', delayMs: 3_000 },
  { on: 'profile.webhook', kind: 'before_answer' },
] as const;

export const misbehavingProvider: FaultKind = {
  name: 'provider misbehaves',
  draw({ simulatorUrl }, random) {
    const fault = random.pick(faults);
    const times = random.integer(1, 6);
    return {
      detail: `${fault.on} ${fault.kind}, ${times} times`,
      parts: ['provider'],
      actsOn: [],
      begin: async () => {
        await call('POST', `${simulatorUrl}/faults`, { body: { faults: [{ ...fault, times }] } });
      },
      // It ends when it has struck so often.
      end: () => undefined,
    };
  },
};
