// Which fields of a request may be missing. class-validator's IsOptional takes null for absence, so that
// `{"dry_run": null}` would be a real run; it is not used (eslint.config.js).
import { ValidateIf } from 'class-validator';

/** The field may be absent. Null is a value like any other and has to pass the field's rules. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}

/** The field may be absent or null, where the specification calls it nullable. */
export function MayBeNull(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined && value !== null);
}
