// A busy machine makes any answer late, so a late one counts only if it is late each time. The request is sent three
// times more. The time of a plain request at the same moment is subtracted from the shortest time.
import type { FuzzRequest } from '../request/fuzz-request.js';
import type { Exchange, RequestRule } from './rule.types.js';

const limitMs = 1_000;
const repeats = 3;

export const answersInTime: RequestRule = {
  name: 'every answer comes within 1 s',
  async check({ request, answer, sender }) {
    if (answer.ms <= limitMs) return undefined;
    const baselineMs = await shortestMs(sender, {
      ...{ kind: 'http', service: request.service, method: 'GET', path: '/health', headers: {} },
    });
    const ms = (await shortestMs(sender, request)) - baselineMs;
    return ms > limitMs ? `took ${Math.round(ms)} ms at the least of ${repeats} times` : undefined;
  },
};

async function shortestMs(sender: Exchange['sender'], request: FuzzRequest): Promise<number> {
  let shortest = Infinity;
  for (let time = 0; time < repeats; time += 1) shortest = Math.min(shortest, (await sender.send(request)).ms);
  return shortest;
}
