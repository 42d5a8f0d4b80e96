import type { Rule } from '../evidence/rule.types.js';

export const nobodyDies: Rule = {
  name: 'no process dies of a fault of something else',
  check: ({ deaths }) => [...deaths],
};
