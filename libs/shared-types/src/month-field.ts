import { ValidateBy, type ValidationArguments } from 'class-validator';
import { isMonth, monthFault } from './month.js';

/** The field is a month that the pipeline works on, see month.ts. */
export function IsMonthKey(): PropertyDecorator {
  return ValidateBy({
    name: 'isMonthKey',
    validator: {
      validate: (value) => isMonth(value),
      defaultMessage: (field?: ValidationArguments) => `$property ${monthFault(field?.value) ?? 'is no month'}`,
    },
  });
}
