import { drawnRelay } from './drawn-relay.js';
import type { FaultKind } from './fault.types.js';

export const hangConnections: FaultKind = {
  name: 'connections hang',
  draw(platform, random) {
    const { part, relay } = drawnRelay(platform, random);
    return { detail: part, parts: [part], begin: () => relay.hang(), end: () => relay.resume() };
  },
};
