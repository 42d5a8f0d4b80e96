import type { RequestRule } from './rule.types.js';

const stackOrSql = /\n\s+at .+:\d+:\d+|node_modules|RangeError|TypeError: |syntax error at or near|relation "/;

export const answersLeakNothing: RequestRule = {
  name: 'no answer shows a stack or SQL',
  check: ({ answer: { text } }) => (stackOrSql.test(text) ? `shows its inside: ${text.slice(0, 300)}` : undefined),
};
