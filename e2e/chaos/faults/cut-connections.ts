import { drawnRelay } from './drawn-relay.js';
import type { FaultKind } from './fault.types.js';

export const cutConnections: FaultKind = {
  name: 'connections cut',
  draw(platform, random) {
    const { relay, ...drawn } = drawnRelay(platform, random);
    return { ...drawn, begin: () => relay.down(), end: () => relay.up() };
  },
};
