import { until } from '../../src/http.js';
import type { FaultKind } from './fault.types.js';

/** Longer than any other fault, since the service may depend on what another one struck. */
const readyTimeoutMs = 60_000;

/** Each replica of a service in turn, the next one only after all of them are ready again. */
export const rollingRestart: FaultKind = {
  name: 'rolling restart',
  draw(platform, random) {
    const { service } = random.pick(platform.replicas);
    const replicas = platform.replicasOf(service);
    return {
      detail: service,
      // No caller may notice: an answer that fails is a finding.
      parts: [],
      actsOn: replicas.map(({ name }) => name),
      begin: async () => {
        for (const replica of replicas) {
          await replica.stop();
          replica.start();
          await until(
            `${replica.name} to be ready`,
            readyTimeoutMs,
            async () => platform.areReady(service) || undefined,
          );
        }
      },
      end: () => undefined,
    };
  },
};
