import type { RequestRule } from './rule.types.js';

export const noServerErrors: RequestRule = {
  name: 'no answer is a 5xx',
  check: ({ answer: { status, text } }) =>
    status !== null && status >= 500 ? `answered ${status}: ${text.slice(0, 300)}` : undefined,
};
