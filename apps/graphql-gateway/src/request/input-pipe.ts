import { ValidationPipe, type Type } from '@nestjs/common';
import { validationMessages } from '@tradewind/service-kit';
import { userInputError } from './graphql-errors.js';

/** Checks the argument `input` against the rules of its class. Faults are `BAD_USER_INPUT`. */
export function inputPipe(expectedType: Type): ValidationPipe {
  return new ValidationPipe({
    expectedType,
    transform: true,
    exceptionFactory: (errors) => userInputError(validationMessages(errors, 'input').join('; ')),
  });
}
