import { freezeService } from './freeze-service.js';
import type { FaultKind } from './fault.types.js';

/** Longer than a lease (platform/service-settings.ts): others take over the work, then its former owner wakes up. */
const frozenMs = { min: 14_000, max: 20_000 };

export const freezePastLease: FaultKind = {
  name: 'SIGSTOP past a lease',
  draw: (platform, random) => ({
    ...freezeService.draw(platform, random),
    lengthMs: random.integer(frozenMs.min, frozenMs.max),
  }),
};
