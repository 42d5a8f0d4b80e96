// Preloaded into every service of the local platform (node --import): SIGUSR2 collects its garbage, so that its metrics
// show what it really keeps in memory.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

process.on('SIGUSR2', () => {
  // V8 provides its collector only while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;
  setFlagsFromString('--no-expose-gc');
  collect({ execution: 'sync', type: 'major' });
});
