import type { Rule } from '../evidence/rule.types.js';

export const logsHoldNoSecret: Rule = {
  name: 'no log has a password, token, key or e-mail address',
  check: ({ logs }) => logs.findings,
};
