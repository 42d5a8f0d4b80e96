// Preloaded into a service of `npm run dev` (reload-runner.ts). Loads the packages and transforms the sources that the
// service had last time, waits for its turn, and then sends the runner what the service loads.
import { once } from 'node:events';
import { open } from 'node:inspector';
import { registerHooks } from 'node:module';
import type { StandbyOptions } from './standby.types.js';

process.channel?.ref();
const [{ loaded, sourceHooks, debuggerPort }] = (await once(process, 'message')) as [StandbyOptions];

const isPackage = (url: string) => url.includes('/node_modules/');
// A package may have gone since. The service says so if it still asks for it.
await Promise.allSettled(loaded.filter(isPackage).map((url) => import(url)));
const { prepare } = (await import(sourceHooks)) as { prepare: (urls: string[]) => void };
prepare(loaded.filter((url) => !isPackage(url)));
await once(process, 'message');
process.channel?.unref();
open(debuggerPort, '127.0.0.1');

let found: string[] = [];

function note(url: string): void {
  // One message for all that are found in one go.
  if (found.push(url) > 1) return;
  setImmediate(() => {
    process.send?.(found);
    found = [];
  });
}

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (resolved.url.startsWith('file:') && !isPackage(context.parentURL ?? '')) note(resolved.url);
    return resolved;
  },
});
