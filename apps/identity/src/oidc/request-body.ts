import type { IncomingMessage } from 'node:http';
import { bodyTooLarge, decompressedBody, isCompressed, refusedEncoding } from '@tradewind/service-kit';

const brokenOff = 'the request ended before its body did';

/**
 * The whole body, decompressed. Throws a ServiceError: 413 as soon as it is known to be longer than the limit, 415 for an
 * encoding or a charset that is not read, 400 for broken data.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const refusal = refusedEncoding(request.headers);
  if (refusal) throw refusal;
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw bodyTooLarge();
  if (request.destroyed) throw new Error(brokenOff);
  if (isCompressed(request.headers)) return (await decompressedBody(request, request.headers, limitBytes)).body;
  // Events: the stream's iterator costs several times as much, and every token request passes here.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes) reject(bodyTooLarge());
      else chunks.push(chunk);
    });
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, sizeBytes)));
    request.once('error', reject);
    // Every request closes. Only for one that broke off is an error made, which costs as much as all the reading.
    request.once('close', () => {
      if (!request.complete) reject(new Error(brokenOff));
    });
  });
}

/** Makes the provider find this body as if it had not been read: it reads `ctx.req` through these members. */
export function withBody(ctx: { req: IncomingMessage }, body: Buffer): void {
  const { headers } = ctx.req;
  // A request without a body keeps having none.
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
    headers['content-length'] = String(body.length);
  }
  // On the request itself: an object that inherits from it would cost more than all the parsing.
  Object.defineProperties(ctx.req, {
    readable: { value: true },
    readableEncoding: { value: null },
    iterator: { value: () => [body] },
  });
}
