import { drawnRelay } from './drawn-relay.js';
import type { FaultKind } from './fault.types.js';

export const cutConnections: FaultKind = {
  name: 'connections cut',
  draw(platform, random) {
    const { part, relay } = drawnRelay(platform, random);
    return { detail: part, parts: [part], begin: () => relay.down(), end: () => relay.up() };
  },
};
