import type { FaultKind } from './fault.types.js';

export const killService: FaultKind = {
  name: 'kill -9 of a service',
  draw(platform, random) {
    const replica = random.pick(platform.replicas);
    return {
      detail: replica.name,
      parts: [replica.service],
      actsOn: [replica.name],
      begin: () => replica.kill(),
      end: () => replica.start(),
    };
  },
};
