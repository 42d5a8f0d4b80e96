// Lets Node run TypeScript of the apps and libs, with decorators, which Node alone does not strip. For
// `npm run dev`, generators, and programs that no build has. swc-node would load the TypeScript compiler as well, and
// take twice the time.
import { existsSync, statSync } from 'node:fs';
import { registerHooks, setSourceMapsSupport } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformFileSync } from '@swc/core';

const configFile = fileURLToPath(new URL('../../.swcrc', import.meta.url));

// Stacks name lines of the TypeScript. The maps of packages stay unread, because they would make each start longer by a
// quarter of a second.
setSourceMapsSupport(true, { nodeModules: false });

/** Code of files before somebody asks for it, and when the file was written. */
const prepared = new Map();

/** Transforms sources that will be asked for soon, unless they change until then. */
export function prepare(urls) {
  for (const url of urls) {
    const file = fileURLToPath(url);
    try {
      prepared.set(file, { mtimeMs: statSync(file).mtimeMs, code: transform(file) });
    } catch {
      // It is gone, or wrong at the moment. Whoever asks for it is told.
    }
  }
}

function codeOf(file) {
  const known = prepared.get(file);
  prepared.delete(file);
  return known !== undefined && known.mtimeMs === statSync(file).mtimeMs ? known.code : transform(file);
}

const transform = (file) => transformFileSync(file, { configFile, sourceMaps: 'inline' }).code;

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
    return { format: 'module', source: codeOf(fileURLToPath(url)), shortCircuit: true };
  },
});
