import fc from 'fast-check';
import { marker } from '../request/fuzz-request.js';
import { takingJson, withBodyText } from '../operations/sample-request.js';
import type { HostileClass } from './class.types.js';

/** Around the limits of 5,000 values for most bodies and 20,000 for all. */
const counts = [1_000, 6_000, 19_000, 60_000];

const shapes: Record<string, (count: number) => string> = {
  fields: (count) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(','),
  sameFields: (count) => Array.from({ length: count }, () => '"k":1').join(','),
  list: (count) => `"k":[${Array.from({ length: count }, () => '1').join(',')}]`,
  objects: (count) => `"k":[${Array.from({ length: count }, () => '{}').join(',')}]`,
  texts: (count) => `"k":[${Array.from({ length: Math.ceil(count / 10) }, () => `"${marker}"`).join(',')}]`,
};

/** Fields by the thousand, and long lists, in a field that does not exist. */
export const wideJson: HostileClass = {
  name: 'wide JSON',
  isRefused: false,
  requests: (_service, { operations }) => {
    const withJson = takingJson(operations);
    if (withJson.length === 0) return undefined;
    return fc
      .record({ shape: fc.constantFrom(...Object.values(shapes)), count: fc.constantFrom(...counts) })
      .chain(({ shape, count }) =>
        withBodyText(withJson, (json) => `${json.slice(0, -1)}${json.length > 2 ? ',' : ''}${shape(count)}}`),
      );
  },
};
