// Rules of request fields that class-validator lacks.
import { ValidateBy, ValidateIf } from 'class-validator';

/** Text that is not blank, without control characters (PostgreSQL stores no U+0000), and not too long. */
export function IsPlainText(lengthMax: number, each = false): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isPlainText',
      validator: {
        validate: (value) =>
          typeof value === 'string' &&
          value.length <= lengthMax &&
          value.trim() !== '' &&
          !/[\p{Cc}\p{Surrogate}]/u.test(value),
        defaultMessage: () =>
          `$property must be a non-empty text of at most ${lengthMax} characters, without control characters`,
      },
    },
    { each },
  );
}

/** The field may be null and has to be there. */
export function MayBeNullOnly(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== null);
}
