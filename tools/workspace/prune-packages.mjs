// Removes from a production node_modules what a running service cannot load: `node prune-packages.mjs node_modules`.
// The build of the images runs this file alone, so it needs nothing but Node. Manifests, licences and notices stay, so
// that scanners still find every package and its terms.
import { readdirSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Whole folders, by their end: the compiler is an optional peer of Nest's generators, the others are copies for
 * bundlers.
 */
const unusedFolders = ['node_modules/typescript', 'node_modules/typeorm/browser', 'build/esnext'];

/** For compilers, debuggers and readers. Node itself refuses to run TypeScript below node_modules. */
const unusedFiles = /\.(?:[cm]?tsx?|map|flow|md|markdown|tsbuildinfo)$/i;

const keptFiles = /^(?:licen[cs]e|notice|copying)/i;

/** @returns whether a running service has no use for this file or folder; `path` uses `/` */
export function isUnused(path, isFolder) {
  if (isFolder) return unusedFolders.some((folder) => path.endsWith(`/${folder}`));
  const name = path.slice(path.lastIndexOf('/') + 1);
  return unusedFiles.test(name) && !keptFiles.test(name);
}

/** Removes everything unused below a folder. Symbolic links, such as those to our own libs, are not followed. */
export function prune(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (isUnused(`/${path.replaceAll(sep, '/')}`, entry.isDirectory())) rmSync(path, { recursive: true });
    else if (entry.isDirectory()) prune(path);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) prune(process.argv[2]);
