// Bundles a built app into few files, for its image: `node bundle.mjs APP`, in a checkout or in the stage of an image.
// A start then reads some 70 files instead of 2,500. The bundle lies beside `dist`, in `apps/APP/bundle`; `packages.json`
// there names the packages that went into it. Needs esbuild alone, since the build of the images has nothing else.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** Packages that stay in node_modules, and why. */
export const leftOutside = [
  // Loaded before everything else, by each file of the bundle: decorators in another file need it.
  'reflect-metadata',
  // Telemetry instruments the copy that Node itself loads.
  'pg',
  // They read protocol files that lie beside them, and are loaded only where they are used.
  '@google-cloud/*',
  '@grpc/*',
  'google-auth-library',
  // fdir looks for it by itself.
  'picomatch',
  // Machine code.
  '@node-rs/argon2',
];

/** For modules that were CommonJS and for those that ask where they are; `require` finds packages left outside. */
const banner = [
  "import 'reflect-metadata';",
  "import { createRequire as createRequireOfBundle } from 'node:module';",
  "import { join as joinInBundle } from 'node:path';",
  "import { pathToFileURL as urlInBundle } from 'node:url';",
  'const require = createRequireOfBundle(import.meta.url);',
  'const atBundle = (file) => joinInBundle(import.meta.dirname, file);',
].join(' ');

/**
 * @param {{root: string, entry: string, outdir: string}} options the entry and the folder are relative to the root
 * @returns {Promise<string[]>} folders of the packages that are in the bundle, relative to the root
 */
export async function bundle({ root, entry, outdir }) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir,
    bundle: true,
    // What is imported when it is needed stays a file of its own.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // As Node resolves: no `module` field and no `module` condition, which would bring second copies.
    mainFields: ['main'],
    conditions: [],
    external: leftOutside,
    // Class names are names of GraphQL types and OpenAPI schemas.
    keepNames: true,
    sourcemap: true,
    sourcesContent: false,
    banner: { js: banner },
    metafile: true,
    logLevel: 'warning',
    plugins: [namesOfCommonJs, absentPackages, modulesThatAskWhereTheyAre(resolve(root, outdir))],
  });
  const packages = Object.keys(result.metafile.inputs)
    .filter((file) => !file.startsWith(namesOfCommonJs.name))
    .map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0])
    .filter((folder) => folder !== undefined);
  return [...new Set(packages)].sort();
}

/**
 * `import('x')` of a CommonJS module gives its names, as in Node. By itself esbuild gives only `default`, and whoever asks for
 * a name gets undefined, long after the start. The names are those that Node finds, so the module is loaded once to build.
 */
const namesOfCommonJs = {
  name: 'names of CommonJS',
  setup({ onResolve, onLoad, resolve: resolveAgain }) {
    onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      // With data the question is a plugin's own.
      if (kind !== 'dynamic-import' || pluginData !== undefined) return undefined;
      const found = await resolveAgain(path, { kind, importer, resolveDir, pluginData: namesOfCommonJs });
      if (found.errors.length > 0 || found.external || found.namespace !== 'file') return undefined;
      if (!isCommonJs(found.path, readFileSync(found.path, 'utf8'))) return undefined;
      return { path: found.path, namespace: namesOfCommonJs.name };
    });
    onLoad({ filter: /./, namespace: namesOfCommonJs.name }, async ({ path }) => {
      const found = Object.keys(await import(pathToFileURL(path).href));
      const names = found.filter((name) => !['default', 'module.exports'].includes(name));
      const lines = names.map((name, index) => {
        const text = JSON.stringify(name);
        return `const name${index} = whole[${text}]; export { name${index} as ${text} };`;
      });
      const contents = `const whole = require(${JSON.stringify(path)}); export default whole;\n${lines.join('\n')}`;
      return { contents, resolveDir: dirname(path) };
    });
  },
};

/** Optional packages that are not installed are looked for at run time, as without a bundle. */
const absentPackages = {
  name: 'absent packages',
  setup({ onResolve, resolve: resolveAgain }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === absentPackages || kind === 'entry-point') return undefined;
      const { errors } = await resolveAgain(path, { kind, importer, resolveDir, pluginData: absentPackages });
      return errors.length > 0 ? { path, external: true } : undefined;
    });
  },
};

/**
 * A module that finds files beside itself finds them where it was. Our own code is mapped to its sources exactly. Of packages
 * only each top-level statement is: maps of every word were a sixth of the start and 30 MB. A frame in a package names the
 * function, the file and the line where its outermost function or class begins.
 */
function modulesThatAskWhereTheyAre(outdir) {
  return {
    name: 'modules that ask where they are',
    setup({ onLoad }) {
      onLoad({ filter: /\.[cm]?js$/, namespace: 'file' }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const contents = withOwnPlace(text, path, outdir);
        if (path.includes('/node_modules/')) return { contents: contents + coarseMap(path, text), loader: 'js' };
        return contents === text ? undefined : { contents, loader: 'js' };
      });
    },
  };
}

/** A source map, as a comment, from each line that does not begin with white space or a bracket. */
function coarseMap(path, text) {
  let mappedLine = 0;
  const segments = text.split('\n').map((line, number) => {
    if (!/^[\w$'"(@]/.test(line)) return '';
    const segment = `AA${base64Vlq(number - mappedLine)}A`;
    mappedLine = number;
    return segment;
  });
  const map = JSON.stringify({ version: 3, sources: [path], mappings: segments.join(';') });
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
}

/** A number of 0 or more as source maps write it. */
function base64Vlq(number) {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let text = '';
  let rest = number << 1;
  do {
    text += digits[(rest & 31) | (rest > 31 ? 32 : 0)];
    rest >>>= 5;
  } while (rest > 0);
  return text;
}

/** The text of a module with its own place instead of the place of the bundle. Throws at what it does not know. */
export function withOwnPlace(text, path, outdir) {
  const at = (file) => `atBundle(${JSON.stringify(relative(outdir, file))})`;
  const placed = text
    .replaceAll(/\bimport\.meta\.url\b/g, `urlInBundle(${at(path)}).href`)
    .replaceAll(/\bimport\.meta\.filename\b/g, at(path))
    .replaceAll(/\bimport\.meta\.dirname\b/g, at(dirname(path)))
    .replaceAll(/\bimport\.meta\.resolve\b/g, () => {
      throw new Error(`${path} uses import.meta.resolve: teach bundle.mjs what that is, or leave the package outside`);
    });
  if (!isCommonJs(path, text) || !/\b__(?:dir|file)name\b/.test(text)) return placed;
  // A directive must stay the first statement.
  const directive = /^(?:\s|\/\*[^]*?\*\/|\/\/.*\n)*(['"])use strict\1/.test(text) ? '"use strict";' : '';
  return `${directive}var __filename = ${at(path)}, __dirname = ${at(dirname(path))};${placed}`;
}

const isCommonJs = (path, text) => extname(path) === '.cjs' || !/^\s*(?:import|export)\b/m.test(text);

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = process.cwd();
  const folder = join('apps', process.argv[2]);
  const outdir = join(folder, 'bundle');
  const packages = await bundle({ root, entry: join(folder, 'dist/main.js'), outdir });
  writeFileSync(join(root, outdir, 'packages.json'), `${JSON.stringify(packages, null, 1)}\n`);
}
