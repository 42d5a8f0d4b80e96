// Lets Node run this repository's TypeScript sources as they are, decorators included: `node --import <this file> main.ts`.
// For tests that need a process of its own and for the generators; what is deployed is built ahead of time.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const swc = JSON.parse(readFileSync(new URL('../../.swcrc', import.meta.url), 'utf8'));
const isOurs = (url) => url?.startsWith('file:') && !url.includes('/node_modules/');

registerHooks({
  resolve(specifier, context, next) {
    // The libraries' package.json name their sources under this condition.
    const ours = { ...context, conditions: ['@tradewind/source', ...(context.conditions ?? [])] };
    if (/^\.{1,2}\//.test(specifier) && specifier.endsWith('.js') && isOurs(context.parentURL)) {
      try {
        return next(specifier.replace(/\.js$/, '.ts'), ours);
      } catch {
        // A real .js file.
      }
    }
    return next(specifier, ours);
  },
  load(url, context, next) {
    if (!isOurs(url) || !url.endsWith('.ts')) return next(url, context);
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, 'utf8'), {
      ...swc,
      swcrc: false,
      filename,
      sourceMaps: 'inline',
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
