import { drawnRelay } from './drawn-relay.js';
import type { FaultKind } from './fault.types.js';

export const hangConnections: FaultKind = {
  name: 'connections hang',
  draw(platform, random) {
    const { relay, ...drawn } = drawnRelay(platform, random);
    return { ...drawn, begin: () => relay.hang(), end: () => relay.resume() };
  },
};
