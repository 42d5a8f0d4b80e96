import { drawnRelay } from './drawn-relay.js';
import type { FaultKind } from './fault.types.js';

/** Nothing passes for this long, then everything for a moment. */
const pauseMs = 300;
const passMs = 30;

export const slowConnections: FaultKind = {
  name: 'connections slow',
  draw(platform, random) {
    const { relay, ...drawn } = drawnRelay(platform, random);
    let timer: NodeJS.Timeout | undefined;
    const hold = () => {
      relay.hang();
      timer = setTimeout(pass, pauseMs);
    };
    const pass = () => {
      relay.resume();
      timer = setTimeout(hold, passMs);
    };
    return {
      ...drawn,
      begin: hold,
      end: () => {
        clearTimeout(timer);
        relay.resume();
      },
    };
  },
};
