import { ServiceError } from '@tradewind/shared-types';

/** The largest number of targets is a setting, so it cannot stand at the field. Throws 400 as a field rule does. */
export function assertTargetCount(count: number, countMax: number): void {
  if (count <= countMax) return;
  throw new ServiceError({
    code: 'request.invalid',
    status: 400,
    message: [`targets must contain no more than ${countMax} elements`],
  });
}
