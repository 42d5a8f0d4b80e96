// Rules of request fields that class-validator lacks. Each gives one sentence for one fault.
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { networkHandleOf, networkUsernameLengthMax, type NetworkEntity } from '@tradewind/shared-types';
import { targetKey } from '../tracker/tracker.types.js';

/** @param faultOf what is wrong with the value, to follow the path of the field; undefined when nothing is */
export function Rule(name: string, faultOf: (value: unknown, request: unknown) => string | undefined) {
  return ValidateBy({
    name,
    validator: {
      validate: (value: unknown, given?: ValidationArguments) => faultOf(value, given?.object) === undefined,
      defaultMessage: (given?: ValidationArguments) => `${given?.property}${faultOf(given?.value, given?.object)}`,
    },
  });
}

/** Text that is not blank, without control characters (PostgreSQL stores no NUL), and not too long. */
export function IsPlainText(lengthMax: number) {
  return Rule('isPlainText', (value) =>
    typeof value === 'string' && value.length <= lengthMax && value.trim() !== '' && !/[\p{Cc}\p{Cs}]/u.test(value)
      ? undefined
      : ` must be a non-empty text of at most ${lengthMax} characters, without control characters`,
  );
}

/** The handle of a page of the network (shared-types, network-username.ts), of the kind that `entity` names. */
export function IsNetworkHandle() {
  return Rule('isNetworkHandle', (value, request) =>
    typeof value === 'string' && networkHandleOf(value, entityOf(request)) !== undefined
      ? undefined
      : ` must be the handle of a person or company, 1 to ${networkUsernameLengthMax} characters as in its profile URL, or that URL`,
  );
}

/** The kind of page that a target or a filter names; undefined when it names none. */
export function entityOf(target: unknown): NetworkEntity | undefined {
  const entity = isObject(target) ? target['entity'] : undefined;
  return entity === 'PERSON' || entity === 'COMPANY' ? entity : undefined;
}

/** A whole number within the bounds. */
export function IsWholeNumber(min: number, max: number) {
  return Rule('isWholeNumber', (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return ' must be an integer number';
    if (value < min) return ` must not be less than ${min}`;
    return value > max ? ` must not be greater than ${max}` : undefined;
  });
}

/** A list that is not empty. */
export function IsFilledList() {
  return Rule('isFilledList', (value) => {
    if (!Array.isArray(value)) return ' must be an array';
    return value.length > 0 ? undefined : ' must contain at least 1 elements';
  });
}

/** Every entry is an object; an array in its place would have nothing to validate. */
export function HoldsObjects() {
  return Rule('holdsObjects', (value) => {
    const index = Array.isArray(value) ? value.findIndex((entry) => !isObject(entry)) : -1;
    return index < 0 ? undefined : `.${index} must be an object`;
  });
}

/** No target is there twice, however its handle is written. An invalid handle is left to the rule of its field. */
export function HoldsTargetsOnce() {
  return Rule('holdsTargetsOnce', (value) => {
    const firstOfKey = new Map<string, number>();
    for (const [index, target] of (Array.isArray(value) ? (value as unknown[]) : []).entries()) {
      const entity = entityOf(target);
      const text = isObject(target) ? target['network_handle'] : undefined;
      const networkHandle = entity && typeof text === 'string' ? networkHandleOf(text, entity) : undefined;
      if (!entity || networkHandle === undefined) continue;
      const key = targetKey({ networkHandle, entity });
      const first = firstOfKey.get(key);
      if (first !== undefined) return `.${index} repeats the target of targets.${first}`;
      firstOfKey.set(key, index);
    }
    return undefined;
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
