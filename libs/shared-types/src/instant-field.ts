import { isISO8601, ValidateBy } from 'class-validator';

/**
 * The field is an instant or a day in ISO 8601 in a form that `Date` reads: `2026-11-23T10:00:00Z` or `2026-11-23`.
 * Weeks and texts without hyphens are ISO 8601 as well, but `Date` reads none of them.
 */
export function IsInstant(): PropertyDecorator {
  return ValidateBy({
    name: 'isInstant',
    validator: {
      validate: (value) => isISO8601(value, { strict: true }) && !Number.isNaN(Date.parse(value as string)),
      defaultMessage: () => '$property must be an instant or a day in ISO 8601, such as 2026-11-23T10:00:00Z',
    },
  });
}
