// What a run will probably cost. The provider says it only afterwards, so the last runs of the company are the measure:
// those for the same kind of target that asked for as much, else all of the kind in proportion to what they asked for.
import type { KnownCost } from '../tracker/jobs.store.js';
import type { Job } from '../tracker/tracker.types.js';
import { reservedMicroUsd } from './run-reservation.js';

/** Millionths of a US dollar. What a run asks for is measured by its reservation, which is the answer without a run. */
export function expectedCostMicroUsd(
  { entity, input }: Pick<Job, 'entity' | 'input'>,
  known: readonly KnownCost[],
  limits: Parameters<typeof reservedMicroUsd>[1],
): number {
  const reserved = reservedMicroUsd(input, limits);
  const ofKind = known
    .filter((run) => run.entity === entity)
    .map((run) => ({ cost: run.costMicroUsd, reserved: reservedMicroUsd(run.input, limits) }));
  const ofSize = ofKind.filter((run) => run.reserved === reserved);
  const runs = ofSize.length > 0 ? ofSize : ofKind;
  if (runs.length === 0) return reserved;
  const sum = (of: 'cost' | 'reserved') => runs.reduce((total, run) => total + run[of], 0);
  return (reserved * sum('cost')) / sum('reserved');
}
