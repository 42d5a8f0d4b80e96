// How sums by day are asked for: `?days=30`, the last days in UTC, today included.
import { applyDecorators } from '@nestjs/common';
import { MayBeAbsent } from '@tradewind/shared-types';
import { Type } from 'class-transformer';
import { ValidateBy } from 'class-validator';

export const daysDefault = 30;
/** A quarter of a year: what fits a chart. */
export const daysMax = 92;

/** For `@ApiPropertyOptional` of the field `days`. */
export const daysProperty = {
  type: 'integer',
  minimum: 1,
  maximum: daysMax,
  default: daysDefault,
  description: 'Days, today included; a day is of UTC',
} as const;

/** On the field `days` of a query, whose initial value is `daysDefault`. */
export function IsDays(): PropertyDecorator {
  return applyDecorators(
    MayBeAbsent(),
    Type(() => Number),
    ValidateBy({
      name: 'isDays',
      validator: {
        validate: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= daysMax,
        defaultMessage: () => `$property must be an integer number from 1 to ${daysMax}`,
      },
    }),
  );
}
