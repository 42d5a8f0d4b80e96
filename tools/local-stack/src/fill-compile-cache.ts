// Before tests start services, `npm test` fills the folder NODE_COMPILE_CACHE, so that none of them compiles the same
// code again. Without the setting there is nothing to fill.
import { fileURLToPath } from 'node:url';
import { CompileCache } from './compile-cache.js';
import { serviceNames } from './ports.js';

const entries = serviceNames.map((name) =>
  fileURLToPath(new URL(`../../../apps/${name}/dist/main.js`, import.meta.url)),
);
const folder = process.env['NODE_COMPILE_CACHE'];
if (folder) await new CompileCache(folder).fill(entries);
