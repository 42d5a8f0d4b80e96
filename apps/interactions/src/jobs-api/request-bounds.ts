// Bounds of requests that are settings. They cannot be rules of the fields: those are fixed when a class is loaded, and
// one process may run several configurations. All are checked before any work is done.
import { ServiceError } from '@tradewind/shared-types';
import type { AppConfig } from '../app.config.js';
import type { AbortRequestDto, TriggerRequestDto } from './interactions.dto.js';

/** Throws 400 with one sentence for each bound that is exceeded, as the rules of fields do. */
export function assertWithinBounds(
  { targets, ...counts }: AbortRequestDto & Partial<TriggerRequestDto>,
  config: AppConfig,
): void {
  const faults =
    targets.length > config.MAX_TARGETS ? [`targets must contain no more than ${config.MAX_TARGETS} elements`] : [];
  for (const [field, max] of [
    ['max_posts', config.MAX_POSTS],
    ['max_reactions', config.MAX_REACTIONS],
    ['max_comments', config.MAX_COMMENTS],
  ] as const) {
    if ((counts[field] ?? 0) > max) faults.push(`${field} must not be greater than ${max}`);
  }
  if (faults.length > 0) throw new ServiceError({ code: 'request.invalid', status: 400, message: faults });
}
