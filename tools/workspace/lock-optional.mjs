// Completes package-lock.json with the optional packages of other platforms. Those that npm could not read when it made
// the file are missing. Then `npm ci` refuses the file on the next machine ("Missing: ... from lock file"). It also
// removes the `engines` of packages. Otherwise `npm ci` compares them with the Node that runs npm and warns about
// dozens. Everything runs on the Node that the lock file installs. And it writes the address of each package. Without
// it `npm ci` first downloads the list of all versions of each, a third of its processor time. If another registry is
// set, npm replaces the host with that one. Run this after every `npm install`; `--check` only reports, for
// `npm run check`.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const lockFile = fileURLToPath(new URL('../../package-lock.json', import.meta.url));
const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = { armv7: 'arm', aarch64: 'arm64', x86: 'ia32' };
const processorNames = ['x64', 'arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32'];

/** @returns the path under which Node would find the package from there, if the lock file has it */
export function findEntry(packages, from, name) {
  for (let folder = from; ;) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
    const nested = folder.lastIndexOf('/node_modules/');
    folder = nested >= 0 ? folder.slice(0, nested) : '';
  }
}

/** Platform packages carry their platform in their name: `@swc/core-linux-arm64-musl`. */
export function platformOf(name) {
  const words = name.split('/').at(-1).split(/[-.]/);
  const os = words.find((word) => systems.includes(word));
  const found = words.map((word) => processors[word] ?? word).find((word) => processorNames.includes(word));
  const isMusl = words.some((word) => word.startsWith('musl'));
  const isGlibc = words.some((word) => word.startsWith('gnu'));
  return {
    ...(found ? { cpu: [found] } : {}),
    ...(os === 'linux' && (isMusl || isGlibc) ? { libc: [isMusl ? 'musl' : 'glibc'] } : {}),
    ...(os ? { os: [os] } : {}),
  };
}

/** @returns entries that the lock file lacks, by path */
export function missingEntries(packages) {
  const missing = {};
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (findEntry(packages, path, name)) continue;
      const { cpu, libc, os } = platformOf(name);
      if (!os && !cpu) throw new Error(`${name} (of ${path || 'the root'}) is missing and its name has no platform`);
      missing[`node_modules/${name}`] = {
        version,
        ...(cpu ? { cpu } : {}),
        ...(entry.dev ? { dev: true } : {}),
        ...(libc ? { libc } : {}),
        optional: true,
        ...(os ? { os } : {}),
      };
    }
  }
  return missing;
}

/** The entry of the lock file, with the address of its package; workspaces and bundled packages have none. */
export function withAddress(path, entry) {
  const [, folder] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
  if (folder === undefined || entry.link || entry.inBundle) return entry;
  const { name, version, ...rest } = entry;
  const full = name ?? folder;
  const resolved = `https://registry.npmjs.org/${full}/-/${full.split('/').at(-1)}-${version}.tgz`;
  return { ...(name ? { name } : {}), version, resolved, ...rest };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync(lockFile, 'utf8'));
  const { '': root, ...packages } = { ...lock.packages, ...missingEntries(lock.packages) };
  for (const [path, entry] of Object.entries(packages)) {
    delete entry.engines;
    packages[path] = withAddress(path, entry);
  }
  // npm keeps the entries in the order of its locale's comparison.
  const sorted = Object.entries(packages).sort(([one], [other]) => one.localeCompare(other, 'en'));
  const wanted = `${JSON.stringify({ ...lock, packages: { '': root, ...Object.fromEntries(sorted) } }, null, 2)}\n`;
  if (wanted === readFileSync(lockFile, 'utf8')) process.exit();
  if (process.argv.includes('--check')) {
    console.error('package-lock.json is not complete. Run: node tools/workspace/lock-optional.mjs');
    process.exit(1);
  }
  writeFileSync(lockFile, wanted);
  console.log('Completed package-lock.json.');
}
