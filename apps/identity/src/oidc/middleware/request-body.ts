// Reads the body once, up to the limit, and hands it to the provider and to the middleware after this one.
import type { IncomingMessage } from 'node:http';
import { bodyTooLarge, decompressedBody, isCompressed, parseJsonBody, refusedEncoding } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { isRegistration } from './conditions.js';
import type { Context, Middleware, MiddlewareNeeds } from './middleware.types.js';

/** The provider's own limit, which it reports as a malformed body. */
const providerLimitBytes = 56 * 1024;
const brokenOff = 'the request ended before its body did';

export function readRequestBody({ config }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    try {
      const body = await readBody(ctx.req, Math.min(config.BODY_LIMIT_BYTES, providerLimitBytes));
      // The provider parses JSON without a limit on its depth.
      if (isRegistration(ctx) && ctx.is('json')) parseJsonBody(body.toString());
      setBody(ctx, body);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      ctx.status = error.status;
      ctx.set(error.headers);
      ctx.body = { error: 'invalid_request', error_description: error.message };
      return;
    }
    await next();
  };
}

/** The body as `readRequestBody` or a later `setBody` left it; empty for a request without one. */
export function bodyOf(ctx: Context): Buffer {
  return (ctx.state as { body?: Buffer }).body ?? Buffer.alloc(0);
}

/** Makes the provider read this body, as if it came from the connection: it reads `ctx.req` through these members. */
export function setBody(ctx: Context, body: Buffer): void {
  (ctx.state as { body?: Buffer }).body = body;
  const { headers } = ctx.req;
  // A request without a body still has none.
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
    headers['content-length'] = String(body.length);
  }
  // The provider's fallback, `ctx.req.body`, writes a warning to the console, past the logger.
  // Set on the request itself: an object that inherits from it is slower than all the parsing.
  Object.defineProperties(ctx.req, {
    readable: { value: true, configurable: true },
    readableEncoding: { value: null, configurable: true },
    iterator: { value: () => [body], configurable: true },
  });
}

/**
 * The whole body, decompressed. Throws a ServiceError: 413 as soon as it exceeds the limit, 415 for an encoding or
 * charset that is not supported, 400 for broken data.
 */
async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const refusal = refusedEncoding(request.headers);
  if (refusal) throw refusal;
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw bodyTooLarge();
  if (request.destroyed) throw new Error(brokenOff);
  if (isCompressed(request.headers)) return (await decompressedBody(request, request.headers, limitBytes)).body;
  // Events: the stream's iterator costs several times as much, and every token request comes through here.
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
    // Every request closes. An Error is costly, so only a request that broke off creates one.
    request.once('close', () => {
      if (!request.complete) reject(new Error(brokenOff));
    });
  });
}
