import type { Rule } from '../evidence/rule.types.js';

export const stopsInTime: Rule = {
  name: 'a service stops within its time',
  check: ({ killedAtStop }) => killedAtStop.map((name) => `${name} did not end after SIGTERM`),
};
