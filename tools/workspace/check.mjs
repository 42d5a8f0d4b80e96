// `npm run check`: everything that a machine can say about the code without running it. All steps run; the failed ones are
// named at the end. Words narrow it down: `npm run check -- types boundaries`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const bin = (path) => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url));
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const nx = (target) => [
  bin('nx/dist/bin/nx.js'),
  'run-many',
  '-t',
  target,
  '--outputStyle',
  'static',
  '--parallel',
  '2',
];

const steps = {
  format: [bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'],
  lockfile: [here('lock-optional.mjs'), '--check'],
  types: nx('typecheck'),
  boundaries: [here('check-boundaries.mjs')],
  generated: [here('gen.mjs'), '--check'],
  lint: nx('lint'),
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((word) => !(word in steps));
if (unknown.length > 0) {
  console.error(`No such step: ${unknown.join(', ')}. The steps: ${Object.keys(steps).join(', ')}`);
  process.exit(2);
}
const failed = [];
for (const [name, args] of Object.entries(steps)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const startedAt = Date.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(`${status === 0 ? '✓' : '✗'} ${name} (${seconds} s)`);
  if (status !== 0) {
    failed.push(name);
    console.log(`${stdout}${stderr}`);
  }
}
console.log(failed.length > 0 ? `Failed: ${failed.join(', ')}` : 'All checks passed.');
process.exitCode = failed.length > 0 ? 1 : 0;
