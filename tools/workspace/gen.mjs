// `npm run gen`: runs every project's generate.mjs. `npm run gen -- --check` changes nothing and fails on differences.
// Names of projects narrow it down: `npm run gen -- identity`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projects, root } from './projects.mjs';

const hooks = new URL('typescript-hooks.mjs', import.meta.url).href;

/** @returns names of the projects whose generator failed or found differences */
export function generate({ check = false, only = [] } = {}) {
  const failed = [];
  for (const { name, folder } of projects()) {
    const generator = join(root, folder, 'generate.mjs');
    if (!existsSync(generator) || (only.length > 0 && !only.includes(name))) continue;
    const { status } = spawnSync(process.execPath, ['--import', hooks, generator, ...(check ? ['--check'] : [])], {
      cwd: dirname(generator),
      stdio: 'inherit',
    });
    if (status !== 0) failed.push(name);
  }
  return failed;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const only = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const failed = generate({ check: process.argv.includes('--check'), only });
  if (failed.length > 0) {
    console.error(`Generators that failed: ${failed.join(', ')}`);
    process.exitCode = 1;
  }
}
