// The packages of the lock file: their names, and which of them reach an image.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findEntry } from '../lock-optional.mjs';
import { root } from '../projects.mjs';

/** @returns {Record<string, object>} the entries of package-lock.json by their path */
export function lockedPackages(folder = root) {
  return JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
}

/** Entries of packages by others, by path. */
export const foreignPackages = (packages) =>
  Object.entries(packages).filter(([path, entry]) => path.includes('node_modules/') && !entry.link);

/** `node_modules/a/node_modules/@b/c` is `@b/c`. */
export const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** @returns {Set<string>} paths of what the apps need at run time, and so of what images contain */
export function shippedPackages(packages) {
  // Not what is installed inside of one: that may be for its development.
  const waiting = Object.keys(packages).filter((path) => /^apps\/[^/]+$/.test(path));
  const found = new Set(waiting);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} } = packages[path];
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of Object.keys({
      ...dependencies,
      ...optionalDependencies,
      ...Object.fromEntries(peers.map((one) => [one])),
    })) {
      const entry = findEntry(packages, path, name);
      // Our own libs are links to their folders.
      const target = entry && packages[entry].link ? packages[entry].resolved : entry;
      if (target === undefined || found.has(target)) continue;
      found.add(target);
      waiting.push(target);
    }
  }
  return found;
}
