import type { ServiceName } from '../../../src/service-names.js';
import type { FaultWindow, PartName } from '../../log/log.types.js';
import { lastEndOf } from '../evidence/last-end.js';
import type { Rule } from '../evidence/rule.types.js';

/** Of a fault that nobody expected. Whatever is away, a service answers that with 502, 503 or 504. */
const internalError = 500;
/** A service has this long after a fault to be ready; a request that began before may fail until then. */
const recoveryMs = 15_000;
/** Once all is ready, a request may still meet a broken connection in a pool. */
const graceMs = 2_000;

const dependencies: Record<ServiceName, readonly PartName[]> = {
  identity: ['postgresql'],
  'graphql-gateway': ['postgresql', 'identity'],
  interactions: ['postgresql', 'provider'],
  'priority-api': ['postgresql', 'provider', 'priority-webhook'],
  'priority-webhook': ['postgresql', 'object-store'],
  coordinator: ['postgresql', 'priority-api', 'priority-webhook'],
};

export const answersHaveCauses: Rule = {
  name: 'a 5xx or a missing answer has a cause',
  check: ({ answers, faults }) =>
    answers
      .filter(({ status }) => status === null || status >= 500)
      .filter((answer) => {
        if (answer.status === internalError) return true;
        const parts: PartName[] = [answer.service, ...dependencies[answer.service]];
        return !faults.some(
          (fault) =>
            fault.parts.some((part) => parts.includes(part)) &&
            answer.endedMs >= fault.fromMs &&
            answer.atMs <= endOf(fault, faults),
        );
      })
      .map(
        ({ service, request, status, atMs, endedMs, text }) =>
          `${service} ${request}: ${status ?? 'no answer'} at ${new Date(atMs).toISOString()} ` +
          `after ${endedMs - atMs} ms, without a cause: ${text.slice(0, 200)}`,
      ),
};

function endOf(fault: FaultWindow, faults: readonly FaultWindow[]): number {
  const lastEndMs = lastEndOf(fault, faults);
  const { readyMs } = fault;
  return Math.min(readyMs === null ? Infinity : Math.max(readyMs, lastEndMs) + graceMs, lastEndMs + recoveryMs);
}
