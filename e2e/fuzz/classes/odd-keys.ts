import fc from 'fast-check';
import { marker } from '../request/fuzz-request.js';
import { takingJson, withBodyText } from '../operations/sample-request.js';
import type { HostileClass } from './class.types.js';

const inherited = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'valueOf',
];
const others = ['', '$', '$where', 'a.b', '0', '-1', 'length', 'then', 'toJSON', '\\u0000', '\\ud800', marker];
const values = [
  '1',
  'null',
  '{}',
  '[]',
  '"x"',
  '{"prototype":{"isAdmin":true}}',
  '{"isAdmin":true}',
  '{"__proto__":{}}',
];

/** Keys that every object inherits, odd keys, keys twice: in the body, or in its first object. */
export const oddKeys: HostileClass = {
  name: 'odd keys',
  isRefused: false,
  requests: (_service, { operations }) => {
    const withJson = takingJson(operations);
    if (withJson.length === 0) return undefined;
    return fc
      .record({
        key: fc.constantFrom(...inherited, ...others),
        value: fc.constantFrom(...values),
        times: fc.constantFrom(1, 2, 1_000),
        isInside: fc.boolean(),
      })
      .chain(({ key, value, times, isInside }) =>
        withBodyText(withJson, (json) => {
          const more = Array.from({ length: times }, () => `"${key}":${value}`).join(',');
          const at = json.indexOf('{', isInside ? 1 : 0);
          if (at < 0) return `{${more}}`;
          return `${json.slice(0, at + 1)}${more}${json[at + 1] === '}' ? '' : ','}${json.slice(at + 1)}`;
        }),
      );
  },
};
