// Builds what is not up to date. nx decides by content; its cache makes a second call cheap. Where no source is newer than
// the last build here, not even nx is asked: that saves a warm `npm start` more than a second.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const nx = join(root, 'node_modules/nx/dist/bin/nx.js');
const stamp = join(root, '.nx/last-build');

/** Builds what a start needs; on failure prints nx's output and ends the process. */
export function build() {
  if (!isUpToDate() && !tryBuild()) process.exit(1);
}

/** @returns whether the build succeeded; nx's output is printed when it did not */
export function tryBuild() {
  const startedAt = new Date();
  const result = spawnSync(process.execPath, [nx, 'run-many', '-t', 'build', '--outputStyle', 'static'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (result.status === 0) {
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, '');
    // What is saved while the build runs counts as newer.
    utimesSync(stamp, startedAt, startedAt);
    return true;
  }
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error ? String(result.error) : ''}`);
  console.error('\nThe build failed; see above.');
  return false;
}

/** Whether every project has its dist and nothing that goes into one has changed since the last build began. */
function isUpToDate() {
  if (!existsSync(stamp)) return false;
  const builtMs = statSync(stamp).mtimeMs;
  const isUnchanged = (path) => {
    const { mtimeMs } = statSync(path);
    // The time of a folder tells of files that were added, renamed or deleted.
    if (mtimeMs > builtMs) return false;
    return readdirSync(path, { withFileTypes: true }).every((entry) =>
      entry.isDirectory() ? isUnchanged(join(path, entry.name)) : statSync(join(path, entry.name)).mtimeMs <= builtMs,
    );
  };
  for (const file of ['package-lock.json', '.swcrc', 'nx.json']) {
    if (statSync(join(root, file)).mtimeMs > builtMs) return false;
  }
  for (const group of ['apps', 'libs', 'tools']) {
    for (const project of readdirSync(join(root, group))) {
      const sources = join(root, group, project, 'src');
      if (!existsSync(sources)) continue;
      if (!existsSync(join(root, group, project, 'dist')) || !isUnchanged(sources)) return false;
      if (statSync(join(root, group, project, 'package.json')).mtimeMs > builtMs) return false;
    }
  }
  return true;
}
