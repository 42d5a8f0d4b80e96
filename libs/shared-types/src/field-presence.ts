// Which fields of a request may be missing. The decorator IsOptional of class-validator takes null for absence, so
// `{"dry_run": null}` would be a real run. It is not used (eslint.config.js).
import { ValidateIf } from 'class-validator';

/** The field may be absent. Null is a value like any other and has to pass the field's rules. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}

/** The field may be absent or null, where the specification calls it nullable. */
export function MayBeNull(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined && value !== null);
}
