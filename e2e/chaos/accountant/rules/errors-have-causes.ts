import { hasCause } from '../evidence/causes.js';
import type { Rule } from '../evidence/rule.types.js';

/** A process whose clock was stepped writes times that are off by this much. */
const clockStepMs = 5_000;

export const errorsHaveCauses: Rule = {
  name: 'a log line of level error has a cause',
  check: (evidence) =>
    evidence.errorLines
      .filter(
        ({ service, atMs }) => !hasCause({ service, fromMs: atMs - clockStepMs, toMs: atMs + clockStepMs }, evidence),
      )
      .map(({ service, text }) => `${service}: ${text.slice(0, 500)}`),
};
