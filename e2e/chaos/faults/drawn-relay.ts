import type { Random } from '@tradewind/provider-simulator';
import type { Relay } from '@tradewind/testkit';
import type { ChaosPlatform } from '../platform/platform.js';
import type { Fault } from './fault.types.js';

/** One of the two proxies, and what a fault of its connections is said to be. */
export function drawnRelay(
  platform: ChaosPlatform,
  random: Random,
): Pick<Fault, 'detail' | 'parts' | 'actsOn'> & { relay: Relay } {
  const { part, relay } = random.pick<{ part: 'postgresql' | 'provider'; relay: Relay }>([
    { part: 'postgresql', relay: platform.postgresRelay },
    { part: 'provider', relay: platform.providerRelay },
  ]);
  return { detail: part, parts: [part], actsOn: [`connections to ${part}`], relay };
}
