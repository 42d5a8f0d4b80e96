import type { Rule } from '../evidence/rule.types.js';

export const answersAreExpected: Rule = {
  name: 'a request is not refused without a reason',
  check: ({ answers }) =>
    answers
      .filter(({ status, isExpected }) => status !== null && status < 500 && !isExpected)
      .map(
        ({ service, request, status, atMs, text }) =>
          `${service} ${request}: ${status} at ${new Date(atMs).toISOString()}: ${text.slice(0, 200)}`,
      ),
};
