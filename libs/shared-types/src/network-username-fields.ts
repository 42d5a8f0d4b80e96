// The rule for handles (network-username.ts) on the fields of requests and messages. Each is brought to its one
// spelling, and a text that is no handle is reported with the path of its field.
import { Transform, type TransformFnParams } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { normaliseNetworkUsername, networkUsernameLengthMax } from './network-username.js';

/** A person's handle or profile address. The field then holds the normalised handle. */
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

/** A list of handles. The error has one sentence, for the first text that is not a handle. */
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

/** A text that is no handle stays as it is, so that validation refuses it. */
function normalised(value: unknown): unknown {
  return typeof value === 'string' ? (normaliseNetworkUsername(value) ?? value) : value;
}

function isNetworkUsername(value: unknown): boolean {
  return typeof value === 'string' && normaliseNetworkUsername(value) !== undefined;
}
