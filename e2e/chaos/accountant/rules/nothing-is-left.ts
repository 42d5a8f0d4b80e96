import type { Rule } from '../evidence/rule.types.js';

/** The load sends nothing that a service may put aside for a person. */
export const nothingIsLeft: Rule = {
  name: 'no message, webhook or payload is put aside',
  check: ({ putAside }) => putAside.map(({ where, reason }) => `${where}: ${reason}`),
};
