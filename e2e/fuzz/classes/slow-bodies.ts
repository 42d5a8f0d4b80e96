import fc from 'fast-check';
import { marker } from '../request/fuzz-request.js';
import { asRequest, samplesOf, takingJson } from '../operations/sample-request.js';
import type { HostileClass } from './class.types.js';

const pauseMs = 30;

/** Headers and bodies that come a few bytes at a time and end in the middle. */
export const slowBodies: HostileClass = {
  name: 'slow bodies',
  isRefused: true,
  // Each takes a third of a second.
  weight: 0.1,
  requests: (service, { operations }) => {
    const withJson = takingJson(operations);
    if (withJson.length === 0) return undefined;
    return fc
      .record({ sample: samplesOf(withJson), pieces: fc.integer({ min: 1, max: 6 }), isInHeaders: fc.boolean() })
      .map(({ sample, pieces, isInHeaders }) => {
        const { method, path, headers } = asRequest(sample);
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        const begin = `${method} ${path} HTTP/1.1\r\nhost: fuzz\r\n${lines.join('')}`;
        const end = isInHeaders ? '' : `content-length: 5000\r\n\r\n`;
        const piece = isInHeaders ? `x-${marker}: a\r\n` : `{"${marker}":`;
        return {
          ...{ kind: 'wire', service },
          parts: [
            { text: begin + end, pauseMs: 0 },
            ...Array.from({ length: pieces }, () => ({ text: piece, pauseMs })),
          ],
        };
      });
  },
};
