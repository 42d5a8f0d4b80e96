// Whether a fault explains that something failed in a service.
import type { ServiceName } from '../../../src/service-names.js';
import type { FaultWindow, PartName } from '../../log/log.types.js';
import type { Evidence } from './evidence.types.js';
import { lastEndOf } from './last-end.js';

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

/** A fault of the service, or of what it depends on, at some moment between these two. */
export function hasCause(
  { service, fromMs, toMs }: { service: ServiceName; fromMs: number; toMs: number },
  { faults, limits }: Pick<Evidence, 'faults' | 'limits'>,
): boolean {
  const parts: PartName[] = [service, ...dependencies[service]];
  return faults.some(
    (fault) =>
      fault.parts.some((part) => parts.includes(part)) &&
      toMs >= fault.fromMs &&
      fromMs <= endOf(fault, faults, limits.recoveryMs),
  );
}

/** A request that began before the service had to be ready may fail until then. */
function endOf(fault: FaultWindow, faults: readonly FaultWindow[], recoveryMs: number): number {
  const lastEndMs = lastEndOf(fault, faults);
  const { readyMs } = fault;
  return Math.min(readyMs === null ? Infinity : Math.max(readyMs, lastEndMs) + graceMs, lastEndMs + recoveryMs);
}
