import type { IncomingMessage } from 'node:http';

export class BodyTooLargeError extends Error {}

/** The whole body; throws BodyTooLargeError as soon as it is known to be longer than the limit. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw new BodyTooLargeError();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) throw new BodyTooLargeError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}

/** Makes the provider find this body as if it had not been read: it reads `ctx.req` through these members. */
export function withBody(ctx: { req: IncomingMessage }, body: Buffer): void {
  const { headers } = ctx.req;
  // A request without a body keeps having none.
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
    headers['content-length'] = String(body.length);
  }
  ctx.req = Object.create(ctx.req, {
    readable: { value: true },
    readableEncoding: { value: null },
    iterator: {
      value: async function* () {
        yield body;
      },
    },
  }) as IncomingMessage;
}
