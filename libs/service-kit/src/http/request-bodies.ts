// Which bodies a service reads: JSON in UTF-8, neither too deep nor with too many values, plain or compressed. The size
// limit applies to the bytes after decompression, and reading ends as soon as it is exceeded.
import type { IncomingHttpHeaders } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyInstance } from 'fastify';
import { excessSentence, isTooDeep, tooDeepSentence } from '../json-depth.js';

const decompressors: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
/** As a refusal lists them. */
const encodings = 'gzip, deflate, br';

/** Reads JSON bodies, and compressed bodies of any type. Must be called before any other parser is added. */
export function readBodies(instance: FastifyInstance, limitBytes: number): void {
  instance.removeContentTypeParser(['application/json', 'text/plain']);
  instance.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    // `parseAs: 'string'` gives a string.
    done(null, parseJsonBody(text as string));
  });
  instance.addHook('preParsing', (request, _reply, payload, done) => {
    const refusal = refusedEncoding(request.headers);
    if (refusal) return done(refusal);
    if (!isCompressed(request.headers)) return done(null, payload);
    decompressedBody(payload, request.headers, limitBytes).then(({ body, encodedBytes }) => {
      // Fastify compares the encoded length with the one that was announced.
      done(null, Object.assign(Readable.from([body]), { receivedEncodedLength: encodedBytes }));
    }, done);
  });
}

/**
 * The value of a JSON body. Throws a ServiceError (400) for text that is not JSON, is nested too deeply, or has too
 * many values.
 */
export function parseJsonBody(text: string): unknown {
  if (text === '') throw invalid('The body is empty; JSON was announced');
  const excess = excessSentence(text);
  if (excess !== undefined) throw invalid([excess]);
  let value: unknown;
  try {
    // A byte order mark is not part of the text (RFC 8259, 8.1).
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    // The error of the parser quotes the body.
    throw invalid('The body is not valid JSON');
  }
  if (isTooDeep(text, value)) throw invalid([tooDeepSentence]);
  return value;
}

/** The refusal (415) of a body because of its encoding or charset; undefined when it can be read. */
export function refusedEncoding(headers: IncomingHttpHeaders): ServiceError | undefined {
  const encoding = contentEncoding(headers);
  if (encoding !== 'identity' && !Object.hasOwn(decompressors, encoding)) {
    return unsupported(`The content encoding is not one that this service reads; it reads ${encodings}`, {
      'accept-encoding': encodings,
    });
  }
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase();
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return undefined;
  return unsupported('The charset is not one that this service reads; it reads utf-8');
}

/** Whether the body must be decompressed. */
export function isCompressed(headers: IncomingHttpHeaders): boolean {
  return contentEncoding(headers) !== 'identity';
}

/**
 * The whole body after decompression. Throws a ServiceError: 413 as soon as there are more bytes than the limit, before
 * or after decompression, and 400 for broken data. The encoding must be one that `refusedEncoding` accepts.
 */
export async function decompressedBody(
  source: Readable,
  headers: IncomingHttpHeaders,
  limitBytes: number,
): Promise<{ body: Buffer; encodedBytes: number }> {
  const encoding = contentEncoding(headers);
  const make = decompressors[encoding];
  if (!make) throw new Error('not a compressed body');
  const decompressor = make();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let encodedBytes = 0;
    let sizeBytes = 0;
    const fail = (error: Error) => {
      source.unpipe(decompressor);
      decompressor.destroy();
      reject(error);
    };
    source.on('data', (chunk: Buffer) => {
      encodedBytes += chunk.length;
      if (encodedBytes > limitBytes) fail(bodyTooLarge());
    });
    source.once('error', fail);
    source.once('close', () => {
      if (!source.readableEnded) fail(new Error('the request ended before its body did'));
    });
    decompressor.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes) fail(bodyTooLarge());
      else chunks.push(chunk);
    });
    decompressor.on('error', () => fail(invalid(`The body is not valid ${encoding} data`, closing)));
    decompressor.once('end', () => resolve({ body: Buffer.concat(chunks, sizeBytes), encodedBytes }));
    source.pipe(decompressor);
  });
}

function contentEncoding(headers: IncomingHttpHeaders): string {
  return headers['content-encoding']?.trim().toLowerCase() || 'identity';
}

/** The client may still be sending, so the connection cannot be used again. */
const closing = { connection: 'close' };

function invalid(message: string | string[], headers: Record<string, string> = {}): ServiceError {
  return new ServiceError({ code: 'request.invalid', status: 400, message, headers });
}

/** The refusal of a body that exceeds the limit. */
export function bodyTooLarge(): ServiceError {
  const message = 'The body is larger than this service reads';
  return new ServiceError({ code: 'request.too_large', status: 413, message, headers: closing });
}

function unsupported(message: string, headers: Record<string, string> = {}): ServiceError {
  return new ServiceError({ code: 'request.unsupported_media_type', status: 415, message, headers });
}
