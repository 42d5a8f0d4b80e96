// The limits on every answer. RateLimit-Policy and RateLimit are of the IETF draft "RateLimit header fields for HTTP"
// (draft-ietf-httpapi-ratelimit-headers). Older clients read the X-RateLimit-* names. X-RateLimit-Reset is in seconds
// from now, like the draft's `t`.
import type { LimitState } from '../request/limit-state.js';

/** On every answer that reports a limit. */
export const policyHeader = 'ratelimit-policy';

/** Headers of the limit that governs this answer. */
export function limitHeaders(state: LimitState): Record<string, string> {
  return {
    [policyHeader]: `"${state.policy}";q=${state.limit};w=${state.windowSeconds}`,
    ratelimit: `"${state.policy}";r=${state.remaining};t=${state.resetSeconds}`,
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(state.remaining),
    'x-ratelimit-reset': String(state.resetSeconds),
  };
}
