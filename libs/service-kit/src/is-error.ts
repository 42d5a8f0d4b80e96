import { types } from 'node:util';

/**
 * Whether a thrown thing is an error. `instanceof` alone misses errors of another realm (Node's own, inside Jest),
 * `isNativeError` alone those of libraries that build theirs on a prototype (Fastify's).
 */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown);
}
