import { types } from 'node:util';

/**
 * Whether a thrown value is an error. `instanceof` misses errors of another realm (Node's own, inside Jest), and
 * `isNativeError` misses those that a library builds on a prototype (Fastify's).
 */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown);
}
