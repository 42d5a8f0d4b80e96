// Bounds of requests that are settings, so that they cannot stand at the fields. All are checked before any work is done.
import { ServiceError } from '@tradewind/shared-types';
import type { AppConfig } from '../app.config.js';
import type { AbortRequestDto, TriggerRequestDto } from './interactions.dto.js';

/** Throws 400 with one sentence for each bound that is exceeded, as the rules of fields do. */
export function assertTriggerBounds(request: TriggerRequestDto, config: AppConfig): void {
  refuse([
    ...targetFaults(request, config),
    ...faultAbove('max_posts', request.max_posts, config.MAX_POSTS),
    ...faultAbove('max_reactions', request.max_reactions, config.MAX_REACTIONS),
    ...faultAbove('max_comments', request.max_comments, config.MAX_COMMENTS),
  ]);
}

/** The same for the abort, which has targets alone. */
export function assertAbortBounds(request: AbortRequestDto, config: AppConfig): void {
  refuse(targetFaults(request, config));
}

function targetFaults({ targets }: AbortRequestDto | TriggerRequestDto, { MAX_TARGETS }: AppConfig): string[] {
  return targets.length > MAX_TARGETS ? [`targets must contain no more than ${MAX_TARGETS} elements`] : [];
}

function faultAbove(field: string, value: number, max: number): string[] {
  return value > max ? [`${field} must not be greater than ${max}`] : [];
}

function refuse(faults: string[]): void {
  if (faults.length > 0) throw new ServiceError({ code: 'request.invalid', status: 400, message: faults });
}
