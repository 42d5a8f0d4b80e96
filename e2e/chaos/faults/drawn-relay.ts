import type { Random } from '@tradewind/provider-simulator';
import type { Relay } from '@tradewind/testkit';
import type { PartName } from '../log/log.types.js';
import type { ChaosPlatform } from '../platform/platform.js';

/** One of the two proxies, and what is behind it. */
export function drawnRelay(platform: ChaosPlatform, random: Random): { part: PartName; relay: Relay } {
  return random.pick<{ part: PartName; relay: Relay }>([
    { part: 'postgresql', relay: platform.postgresRelay },
    { part: 'provider', relay: platform.providerRelay },
  ]);
}
