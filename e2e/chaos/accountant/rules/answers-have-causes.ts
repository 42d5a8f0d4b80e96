import { hasCause } from '../evidence/causes.js';
import type { Rule } from '../evidence/rule.types.js';

/** Of a fault that nobody expected. Whatever is away, a service answers that with 502, 503 or 504. */
const internalError = 500;

export const answersHaveCauses: Rule = {
  name: 'a 5xx or a missing answer has a cause',
  check: (evidence) =>
    evidence.answers
      .filter(({ status }) => status === null || status >= 500)
      .filter(
        ({ service, status, atMs, endedMs }) =>
          status === internalError || !hasCause({ service, fromMs: atMs, toMs: endedMs }, evidence),
      )
      .map(
        ({ service, request, status, atMs, endedMs, text }) =>
          `${service} ${request}: ${status ?? 'no answer'} at ${new Date(atMs).toISOString()} ` +
          `after ${endedMs - atMs} ms, without a cause: ${text.slice(0, 200)}`,
      ),
};
