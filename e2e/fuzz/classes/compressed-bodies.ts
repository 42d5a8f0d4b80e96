import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { asRequest, samplesOf, takingJson } from '../operations/sample-request.js';
import type { HostileClass } from './class.types.js';

const compress = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (data: Uint8Array) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};
type Encoding = keyof typeof compress;

/** Bytes after decompression. */
const sizes = [2_000_000, 10_000_000, 50_000_000];

/** Bombs take a while to make, so there are a few, made when they are first drawn. */
const made = new Map<string, Uint8Array>();
function bomb(encoding: Encoding, sizeBytes: number): Uint8Array {
  const key = `${encoding} ${sizeBytes}`;
  const known = made.get(key) ?? compress[encoding](Buffer.alloc(sizeBytes, ' '));
  made.set(key, known);
  return known;
}

const encodings = fc.constantFrom<Encoding>('gzip', 'deflate', 'br');
const bodies = fc.oneof(
  fc.record({ encoding: encodings, size: fc.constantFrom(...sizes) }).map(({ encoding, size }) => ({
    body: bomb(encoding, size),
    header: encoding,
  })),
  // Twice compressed, cut off, with another's header, with rubbish behind it, and rubbish alone.
  encodings.map((encoding) => ({ body: gzipSync(bomb(encoding, 2_000_000)), header: `gzip, ${encoding}` })),
  fc.record({ encoding: encodings, cut: fc.integer({ min: 1, max: 400 }) }).map(({ encoding, cut }) => ({
    body: bomb(encoding, 2_000_000).subarray(0, cut),
    header: encoding,
  })),
  fc.constantFrom('br', 'deflate', 'zstd', 'compress', 'exi', 'x', 'gzip;q=1', '__proto__').map((header) => ({
    body: gzipSync('{}'),
    header,
  })),
  fc
    .uint8Array({ minLength: 3, maxLength: 300 })
    .map((bytes) => ({ body: Uint8Array.from([0xff, ...bytes]), header: 'gzip' })),
);

/** Compressed bodies that are far larger than they look, or broken. */
export const compressedBodies: HostileClass = {
  name: 'compressed bodies',
  isRefused: true,
  requests: (_service, { operations }) => {
    const withJson = takingJson(operations);
    if (withJson.length === 0) return undefined;
    return fc.record({ sample: samplesOf(withJson), packed: bodies }).map(({ sample, packed }) => {
      const request = asRequest(sample);
      const headers = { ...request.headers, 'content-type': 'application/json', 'content-encoding': packed.header };
      return { ...request, body: packed.body, headers };
    });
  },
};
