import type { RequestRule } from './rule.types.js';

export const refusals: RequestRule = {
  name: 'what must be refused is refused',
  check: ({ mustBeRefused, answer: { status } }) =>
    mustBeRefused && status !== null && status < 400 ? `must be refused and was answered with ${status}` : undefined,
};
