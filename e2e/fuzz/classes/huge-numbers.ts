import fc from 'fast-check';
import { marker } from '../request/fuzz-request.js';
import { asRequest, withValue } from '../operations/sample-request.js';
import type { HostileClass } from './class.types.js';

// JSON numbers that `JSON.stringify` cannot write.
const numbers = [
  ...['1e308', '1e309', '-1e309', '1e-400', '-0', '0.1e1', '1E400', '9007199254740993', '-9223372036854775809'],
  ...[
    '9223372036854775808',
    '18446744073709551616',
    '2147483648',
    '-2147483649',
    '4294967296',
    '1.7976931348623157e308',
  ],
  ...['0x10', '01', '+1', '.5', '1.', 'NaN', 'Infinity', '1_000', '9'.repeat(400), `0.${'0'.repeat(400)}1`],
  ...['9'.repeat(100_000), `1e${'9'.repeat(1_000)}`],
];
const placeholder = `${marker}-number`;

/** Numbers past every type, and texts that only look like numbers. */
export const hugeNumbers: HostileClass = {
  name: 'huge numbers',
  isRefused: false,
  requests: (_service, { operations }) =>
    fc
      .record({
        sample: withValue(operations, fc.constant(placeholder)),
        number: fc.constantFrom(...numbers),
        isText: fc.boolean(),
      })
      .map(({ sample, number, isText }) => {
        const request = asRequest(sample);
        const { body } = request;
        return {
          ...request,
          path: request.path.replaceAll(placeholder, encodeURIComponent(number)),
          ...(typeof body === 'string' && body !== ''
            ? { body: isText ? body.replaceAll(placeholder, number) : body.replaceAll(`"${placeholder}"`, number) }
            : {}),
        };
      }),
};
