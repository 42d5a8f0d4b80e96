// A server may refuse a request before it has all of it, and a client that is still sending may miss the answer. So a
// request without an answer is sent three times more, and an address that no server reads does not count.
import type { RequestRule } from './rule.types.js';

const repeats = 3;
/** Node refuses a longer head with 431. */
const pathLengthMax = 16_384;

export const everyRequestIsAnswered: RequestRule = {
  name: 'every request gets an answer',
  async check({ request, answer, sender }) {
    if (request.kind === 'wire' || answer.status !== null || request.path.length > pathLengthMax) return undefined;
    for (let time = 0; time < repeats; time += 1) {
      if ((await sender.send(request)).status !== null) return undefined;
    }
    return `got none in ${1 + repeats} times: ${answer.text}`;
  },
};
