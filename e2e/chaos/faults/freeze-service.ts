import type { FaultKind } from './fault.types.js';

export const freezeService: FaultKind = {
  name: 'SIGSTOP of a service',
  draw(platform, random) {
    const replica = random.pick(platform.replicas);
    return {
      detail: replica.name,
      parts: [replica.service],
      actsOn: [replica.name],
      begin: () => replica.freeze(),
      end: () => replica.thaw(),
    };
  },
};
