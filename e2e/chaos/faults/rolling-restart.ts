import { until } from '../../src/http.js';
import type { FaultKind } from './fault.types.js';

const readyTimeoutMs = 30_000;

/** Each replica of a service in turn, the next one only after the one before is ready again. */
export const rollingRestart: FaultKind = {
  name: 'rolling restart',
  draw(platform, random) {
    const [first, ...others] = platform.replicasOf(random.pick(platform.replicas).service);
    const service = first!.service;
    return {
      detail: service,
      // No caller may notice: an answer that fails is a finding.
      parts: [],
      begin: async () => {
        for (const replica of [first!, ...others]) {
          await replica.stop();
          replica.start();
          await until(`${replica.name} to be ready`, readyTimeoutMs, async () => platform.areAllReady || undefined);
        }
      },
      end: () => undefined,
    };
  },
};
