// Loaded before a bundled program, `node --import second-copies.mjs apps/APP/bundle/main.js`: fails its end when a package that
// is in the bundle was loaded from node_modules as well. Two copies of one package do not know each other's classes.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const folder = dirname(process.argv[1]);
const bundled = new Set(JSON.parse(readFileSync(join(folder, 'packages.json'), 'utf8')));
const found = new Set();

// A thread of its own begins with its own copies of everything.
if (isMainThread) {
  registerHooks({
    load(url, context, next) {
      const file = url.startsWith('file:') ? relative(process.cwd(), fileURLToPath(url)) : '';
      const name = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
      if (bundled.has(name)) found.add(file);
      return next(url, context);
    },
  });
  process.on('exit', () => {
    if (found.size === 0) return;
    process.stderr.write(`Loaded beside the copy in the bundle:\n${[...found].join('\n')}\n`);
    process.exitCode = 1;
  });
}
