// Rules of request fields that class-validator does not bring.
import { buildMessage, ValidateBy, type ValidationArguments, type ValidationOptions } from 'class-validator';
import { networkHandleOf, networkUsernameLengthMax, type NetworkEntity } from '@tradewind/shared-types';
import { targetKey } from '../tracker/tracker.types.js';

/** Text with something in it besides blanks, without control characters (PostgreSQL stores no NUL), and not too long. */
export function IsPlainText(lengthMax: number, options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isPlainText',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' &&
          value.length <= lengthMax &&
          value.trim() !== '' &&
          !/[\p{Cc}\p{Cs}]/u.test(value),
        defaultMessage: buildMessage(
          () => `$property must be a non-empty text of at most ${lengthMax} characters, without control characters`,
          options,
        ),
      },
    },
    options,
  );
}

/** The handle of a page of the network (shared-types, network-username.ts), of the kind that `entity` beside it names. */
export function IsNetworkHandle(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isNetworkHandle',
      validator: {
        validate: (value: unknown, given?: ValidationArguments) =>
          typeof value === 'string' && networkHandleOf(value, entityOf(given?.object)) !== undefined,
        defaultMessage: buildMessage(
          () =>
            `$property must be the handle of a person or company, 1 to ${networkUsernameLengthMax} characters as in its profile URL, or that URL`,
          options,
        ),
      },
    },
    options,
  );
}

/** The kind of page that a target or a filter names; undefined when it names none. */
export function entityOf(target: unknown): NetworkEntity | undefined {
  const entity = isObject(target) ? target['entity'] : undefined;
  return entity === 'PERSON' || entity === 'COMPANY' ? entity : undefined;
}

/** A whole number within the bounds. One sentence for one fault: a text is no integer, and neither too small nor too large. */
export function IsWholeNumber(min: number, max: number, options?: ValidationOptions): PropertyDecorator {
  const faultOf = (value: unknown) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return 'must be an integer number';
    if (value < min) return `must not be less than ${min}`;
    return value > max ? `must not be greater than ${max}` : undefined;
  };
  return ValidateBy(
    {
      name: 'isWholeNumber',
      validator: {
        validate: (value: unknown) => faultOf(value) === undefined,
        defaultMessage: (given?: ValidationArguments) => `${given?.property} ${faultOf(given?.value)}`,
      },
    },
    options,
  );
}

/** A list with something in it; one sentence, whether it is missing, no list, or empty. */
export function IsFilledList(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isFilledList',
      validator: {
        validate: (value: unknown) => Array.isArray(value) && value.length > 0,
        defaultMessage: (given?: ValidationArguments) =>
          `${given?.property} must ${Array.isArray(given?.value) ? 'contain at least 1 elements' : 'be an array'}`,
      },
    },
    options,
  );
}

/** Every entry is an object; an array in its place would have nothing to validate. */
export function HoldsObjects(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'holdsObjects',
      validator: {
        validate: (value: unknown) => !Array.isArray(value) || value.every(isObject),
        defaultMessage: (given?: ValidationArguments) =>
          `${given?.property}.${firstIndex(given?.value, (entry) => !isObject(entry))} must be an object`,
      },
    },
    options,
  );
}

/** No target is there twice, however its handle is written. Handles that are none are left to the rule of their field. */
export function HoldsTargetsOnce(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'holdsTargetsOnce',
      validator: {
        validate: (value: unknown) => repeated(value) === undefined,
        defaultMessage: (given?: ValidationArguments) => {
          const found = repeated(given?.value);
          return `${given?.property}.${found?.index} repeats the target of ${given?.property}.${found?.first}`;
        },
      },
    },
    options,
  );
}

function repeated(value: unknown): { index: number; first: number } | undefined {
  if (!Array.isArray(value)) return undefined;
  const firstOfKey = new Map<string, number>();
  for (const [index, entry] of (value as unknown[]).entries()) {
    const entity = entityOf(entry);
    const text = isObject(entry) ? entry['network_handle'] : undefined;
    const networkHandle = entity && typeof text === 'string' ? networkHandleOf(text, entity) : undefined;
    if (!entity || networkHandle === undefined) continue;
    const key = targetKey({ networkHandle, entity });
    const first = firstOfKey.get(key);
    if (first !== undefined) return { index, first };
    firstOfKey.set(key, index);
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function firstIndex(value: unknown, matches: (entry: unknown) => boolean): number {
  return Array.isArray(value) ? value.findIndex(matches) : -1;
}
