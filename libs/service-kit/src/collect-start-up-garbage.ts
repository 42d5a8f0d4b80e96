import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Frees what only the start needed, once, and gives the memory back to the system: V8 would keep a young generation of the
 * size that the start filled until requests come. Takes 0.1 to 0.2 s.
 */
export function collectStartUpGarbage(): void {
  // V8 hands out its collector only while the flag is set, and this is the only use of it.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;
  setFlagsFromString('--no-expose-gc');
  collect({ execution: 'sync', type: 'major', flavor: 'last-resort' });
}
