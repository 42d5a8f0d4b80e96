import type { FaultWindow } from '../../log/log.types.js';

/** When the last fault of its strike ended: services recover from there. */
export function lastEndOf({ strike }: FaultWindow, faults: readonly FaultWindow[]): number {
  return Math.max(...faults.filter((fault) => fault.strike === strike).map(({ toMs }) => toMs));
}
