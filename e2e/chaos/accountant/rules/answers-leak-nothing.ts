import type { Rule } from '../evidence/rule.types.js';

/** A line of a stack trace, a path of the program, or a statement. */
const inside = /\n?\s*at .+:\d+:\d+|node_modules|\/dist\/|\b(select|insert|update|delete)\b.+\b(from|into|set)\b/i;

export const answersLeakNothing: Rule = {
  name: 'no answer shows the inside',
  check: ({ answers }) =>
    answers
      .filter(({ status, text }) => status !== null && inside.test(text))
      .map(({ service, request, status, text }) => `${service} ${request}: ${status} ${text.slice(0, 300)}`),
};
