import { ValidationPipe, type Type } from '@nestjs/common';
import { validationMessages } from '@tradewind/service-kit';
import { validateSync, type ValidationError } from 'class-validator';
import type { GraphQLError } from 'graphql';
import { userInputError } from './graphql-errors.js';

/** Checks the argument `input` against the rules of its class. Faults are `BAD_USER_INPUT`. */
export function inputPipe(expectedType: Type): ValidationPipe {
  return new ValidationPipe({ expectedType, transform: true, exceptionFactory: (errors) => fault(errors, 'input') });
}

/**
 * Checks an input that GraphQL has read against the rules of its class.
 * @param name of the argument, for messages
 * @throws BAD_USER_INPUT
 */
export function assertInput<T extends object>(type: Type<T>, input: T, name: string): void {
  const errors = validateSync(Object.assign(new type(), input));
  if (errors.length > 0) throw fault(errors, name);
}

function fault(errors: readonly ValidationError[], name: string): GraphQLError {
  return userInputError(validationMessages(errors, name).join('; '));
}
