import { ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import { ServiceError } from '@tradewind/shared-types';
import type { ValidationError } from 'class-validator';

/**
 * Checks bodies, queries and parameters against their DTO classes. Unknown fields are refused.
 * The response is 400 with a sentence for each broken rule, which begins with the path of its field.
 */
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
      forbidUnknownValues: true,
      validationError: { target: false, value: false },
      exceptionFactory: (errors) => invalid(validationMessages(errors)),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const isClassExpected = metadata.metatype !== undefined && !builtIns.has(metadata.metatype);
    const isOfRequest = metadata.type !== 'custom';
    if (!isClassExpected || !isOfRequest || value === undefined)
      return super.transform(value, metadata) as Promise<unknown>;
    if (metadata.type === 'body' && !isObject(value)) throw invalid(['body must be an object']);
    if (valuesLeft(value, valuesMax) < 0) {
      throw invalid([`${metadata.type} must not have more than ${valuesMax} fields and list entries`]);
    }
    const faults = removeInheritedNames(value);
    const transformed: unknown = await super.transform(value, metadata).catch((error: unknown) => {
      if (faults.length === 0 || !(error instanceof ServiceError)) throw error;
      throw invalid([...faults, ...[error.publicMessage].flat()]);
    });
    if (faults.length > 0) throw invalid(faults);
    return transformed;
  }
}

const builtIns = new Set<unknown>([String, Number, Boolean, Array, Object, Buffer]);

/**
 * Fields and list entries that a body may have, at all levels. 1,000 profiles, the longest list that a service accepts,
 * have 3,000. The checks cost 50 µs for each value, and a refusal has a sentence for each.
 */
const valuesMax = 5_000;

/** How many of the allowed values are left after those inside `value`; below zero as soon as there are too many. */
function valuesLeft(value: unknown, allowed: number): number {
  if (typeof value !== 'object' || value === null) return allowed;
  let left = allowed;
  // A list has enumerable indexes only. Not Object.values: a list of all values is what this guards against.
  for (const name in value) {
    left = valuesLeft((value as Record<string, unknown>)[name], left - 1);
    if (left < 0) break;
  }
  return left;
}

// Every object inherits fields of these names. class-transformer and Nest drop them silently; class-validator treats
// them as declared.
const inheritedNames = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);

/** Removes fields that no DTO can declare, such as `constructor` and `toString`, and returns a sentence for each. */
function removeInheritedNames(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  return Object.keys(fields).flatMap((name) => {
    const fieldPath = path ? `${path}.${name}` : name;
    if (!inheritedNames.has(name)) return removeInheritedNames(fields[name], fieldPath);
    delete fields[name];
    return [`${fieldPath} should not exist`];
  });
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(messages: string[]): ServiceError {
  return new ServiceError({ code: 'request.invalid', status: 400, message: messages });
}

/** One sentence for each broken rule, such as `targets.0.entity must be one of the following values: …`. */
export function validationMessages(errors: readonly ValidationError[], parentPath = ''): string[] {
  const messages = errors.flatMap((error) => {
    const path = parentPath ? `${parentPath}.${error.property}` : error.property;
    const rules = Object.entries(error.constraints ?? {});
    const own = rules
      // A value that is not a list breaks the rule that it must be one; its entries need no sentence.
      .filter(([rule]) => rule !== 'nestedValidation' || rules.length === 1)
      .map(([rule, text]) => sentence(rule, text, error.property, path));
    return [...own, ...validationMessages(error.children ?? [], path)];
  });
  return [...new Set(messages)];
}

function sentence(rule: string, text: string, property: string, path: string): string {
  if (rule === 'whitelistValidation') return `${path} should not exist`;
  if (rule === 'nestedValidation' && /^\d+$/.test(property)) return `${path} must be an object`;
  if (rule === 'nestedValidation' && text.startsWith('nested property '))
    return `${path} must be an object or an array`;
  if (rule === 'nestedValidation' && text.startsWith('each value in ')) return `${path} must hold only objects`;
  const each = `each value in ${property} `;
  if (text.startsWith(each)) return `${path}: each value ${text.slice(each.length)}`;
  if (text === property || text.startsWith(`${property} `)) return `${path}${text.slice(property.length)}`;
  // A message of the DTO's own that does not begin with the field.
  return text.startsWith(path) ? text : `${path}: ${text}`;
}
