// PostGraphile, a peer of the data API. It has 190 packages, which only the comparison needs: it has its own lock file,
// installed here.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import type { BenchContext } from './bench.types.js';

const postgraphile = new URL('../postgraphile/', import.meta.url);

/** @returns the program to start */
export function installPostgraphile({ log }: BenchContext): URL {
  const writtenMs = (file: string) => statSync(new URL(file, postgraphile), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (writtenMs('node_modules/.package-lock.json') < writtenMs('package-lock.json')) {
    log('installing PostGraphile');
    const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', ['ci', ...options], { cwd: postgraphile, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return new URL('server.mjs', postgraphile);
}
