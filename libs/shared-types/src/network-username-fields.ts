// The rule for handles (network-username.ts) on the fields of requests and messages: each is brought to its one spelling,
// and what is no handle is told with the path of its field.
import { Transform, type TransformFnParams } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { normaliseNetworkUsername, networkUsernameLengthMax } from './network-username.js';

/** A person's handle, or the address of a profile; afterwards the handle, normalised. */
export function NetworkUsername(): PropertyDecorator {
  return (target, property) => {
    Transform(({ value }: TransformFnParams): unknown => normalised(value))(target, property);
    ValidateBy({
      name: 'networkUsername',
      validator: {
        validate: isNetworkUsername,
        defaultMessage: () =>
          `$property must be the handle of a profile, 1 to ${networkUsernameLengthMax} characters as in its address`,
      },
    })(target, property);
  };
}

/** A list of them; one sentence, for the first that is none. */
export function NetworkUsernames(): PropertyDecorator {
  return (target, property) => {
    Transform(({ value }: TransformFnParams): unknown => (Array.isArray(value) ? value.map(normalised) : value))(
      target,
      property,
    );
    ValidateBy({
      name: 'networkUsernames',
      validator: {
        validate: (value: unknown) => !Array.isArray(value) || value.every(isNetworkUsername),
        defaultMessage: (given?: ValidationArguments) => {
          const index = (given?.value as unknown[]).findIndex((entry) => !isNetworkUsername(entry));
          return `${given?.property}.${index} must be the handle of a profile`;
        },
      },
    })(target, property);
  };
}

/** What is no handle stays as it is, for the validation to refuse. */
function normalised(value: unknown): unknown {
  return typeof value === 'string' ? (normaliseNetworkUsername(value) ?? value) : value;
}

function isNetworkUsername(value: unknown): boolean {
  return typeof value === 'string' && normaliseNetworkUsername(value) !== undefined;
}
