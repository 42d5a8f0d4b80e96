import type { FaultKind } from './fault.types.js';

/** Up to what services allow two clocks to differ by (service-kit, caller-auth.ts). Milliseconds. */
const stepsMs = [-5_000, -2_000, 2_000, 5_000];
/** Longer than the gateway trusts its memory of a key. */
const wrongMs = { min: 6_000, max: 12_000 };

/** One replica's clock steps, as when NTP corrects it, and steps back at the end. */
export const stepClock: FaultKind = {
  name: 'step of a clock',
  draw(platform, random) {
    const replica = random.pick(platform.replicas);
    const stepMs = random.pick(stepsMs);
    return {
      detail: `${replica.name} by ${stepMs / 1000} s`,
      // No caller may notice: an answer that fails is a finding.
      parts: [],
      // One clock is wrong at a time.
      actsOn: [replica.name, 'clock'],
      lengthMs: random.integer(wrongMs.min, wrongMs.max),
      begin: () => replica.setClock(stepMs),
      end: () => replica.setClock(0),
    };
  },
};
