import type { LoadOperation } from '../operations/operation.types.js';
import type { Summary } from './summary.js';

const growth = 2;
/** How often the gap between the highest good and the lowest bad rate is halved. */
const halvings = 2;
/** The generator shares the machine. At more, both end at the processor, and neither says anything of the other. */
export const ratePerSecondMax = 10_000;
/** A busy neighbour makes good rates fail; one that fails twice is too high. */
const attempts = 2;

/** The highest rate that the pod holds, to about a fifth; 0 when it holds not even the first one. */
export async function findRate(
  operation: Pick<LoadOperation, 'p99MsMax' | 'ratePerSecondMin'>,
  run: (ratePerSecond: number) => Promise<Summary>,
): Promise<number> {
  const holds = async (ratePerSecond: number) => {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (isHeld(await run(ratePerSecond), operation.p99MsMax)) return true;
    }
    return false;
  };
  let held = 0;
  let next = operation.ratePerSecondMin;
  while (next <= ratePerSecondMax && (await holds(next))) {
    held = next;
    next *= growth;
  }
  for (let halving = 0; halving < halvings; halving += 1) {
    const between = Math.round(Math.sqrt(held * next));
    if (between === held) break;
    if (await holds(between)) held = between;
    else next = between;
  }
  return held;
}

/** Every request is served, and 99 of 100 in time. */
export function isHeld({ sent, served, p99Ms }: Summary, p99MsMax: number): boolean {
  return served === sent && p99Ms <= p99MsMax;
}
