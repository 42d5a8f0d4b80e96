// Lets Node run TypeScript of the apps and libs, with decorators, which Node alone does not strip. For
// `npm run dev`, generators, and programs that no build has. swc-node would load the TypeScript compiler as well, and
// take twice the time.
import { existsSync } from 'node:fs';
import { registerHooks, setSourceMapsSupport } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

const configFile = fileURLToPath(new URL('../../.swcrc', import.meta.url));

// Stacks name lines of the TypeScript. The maps of packages stay unread, because they would make each start longer by a
// quarter of a second.
setSourceMapsSupport(true, { nodeModules: false });

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts')) {
      const url = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
      if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!url.endsWith('.ts')) return next(url, context);
    const { code } = transformFileSync(fileURLToPath(url), { configFile, sourceMaps: 'inline' });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
