import fc from 'fast-check';
import { marker } from '../request/fuzz-request.js';
import { asRequest, samplesOf, takingJson } from '../operations/sample-request.js';
import type { HostileClass } from './class.types.js';

const bodies: (string | Uint8Array)[] = [
  ...['{', '}', '{"a"', '{"a":}', '{,}', "{'a':1}", '{"a":1,}', '[1 2]', '"', `"${marker}`, 'tru', '\u0000', '{} {}'],
  ...[`{"${marker}": undefined}`, '<a/>', '\ufeff\ufeff{}', '{"a":"\\x"}', '{"a":"\\ud8"}', '{"a":"\n"}', '//'],
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from('{"a":1}', 'utf16le'),
];

/** Bodies that are no JSON, and types that no service reads. */
export const brokenJson: HostileClass = {
  name: 'broken JSON',
  isRefused: true,
  requests: (_service, { operations }) => {
    const withJson = takingJson(operations);
    if (withJson.length === 0) return undefined;
    return fc
      .record({
        sample: samplesOf(withJson),
        body: fc.oneof(fc.constantFrom(...bodies), fc.uint8Array({ minLength: 2, maxLength: 200 }).map(neverJson)),
        type: fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', 'image/png', 'x'),
      })
      .map(({ sample, body, type }) => {
        const request = asRequest(sample);
        return { ...request, body, headers: { ...request.headers, 'content-type': type } };
      });
  },
};

/** No JSON text begins with a byte of 255. */
function neverJson(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from([0xff, ...bytes]);
}
