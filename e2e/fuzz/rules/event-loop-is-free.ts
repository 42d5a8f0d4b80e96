// The services measure how long their event loop was held. A busy machine holds it as well. So a request is sent alone
// three times. It counts only if the loop is held each time, and if the process used as much processor time then.
import { asCommand, type FuzzRequest } from '../request/fuzz-request.js';
import type { Meter } from '../../src/meter.js';
import type { Exchange, RequestRule } from './rule.types.js';

const limitMs = 200;
const repeats = 3;
/** A slower answer is looked at at once; others in groups of this many. */
const suspiciousMs = 120;
const groupSize = 40;

export const eventLoopIsFree: RequestRule = {
  name: 'no request holds the event loop for 200 ms',
  async check(exchange) {
    const { request, answer, earlier, meters, isShrinking } = exchange;
    const meter = meters.get(request.service);
    const isLooked = answer.ms > suspiciousMs || earlier.length % groupSize === groupSize - 1 || isShrinking;
    if (!meter || !isLooked) return undefined;
    // A service that died is found by another rule.
    const reading = await meter.read().catch(() => undefined);
    if (reading === undefined || reading.eventLoopDelayMs <= limitMs) return undefined;
    for (const suspect of [request, ...(isShrinking ? [] : earlier.slice(-groupSize).reverse())]) {
      const heldMs = await shortestDelayMs(meter, async () => exchange.sender.send(suspect));
      if (heldMs > limitMs) return sentence(exchange, suspect, heldMs);
    }
    return undefined;
  },
};

function sentence({ request, target }: Exchange, suspect: FuzzRequest, heldMs: number): string {
  const held = `held the event loop for ${Math.round(heldMs)} ms at the least of ${repeats} times`;
  return suspect === request
    ? held
    : `a request shortly before ${held}: ${asCommand(suspect, target.urls[suspect.service] ?? '')}`;
}

async function shortestDelayMs(meter: Meter, act: () => Promise<unknown>): Promise<number> {
  let shortest = Infinity;
  for (let time = 0; time < repeats && shortest > limitMs; time += 1) {
    const before = await meter.read();
    await act();
    const after = await meter.read();
    shortest = Math.min(shortest, after.eventLoopDelayMs, after.processorMs - before.processorMs);
  }
  return shortest;
}
