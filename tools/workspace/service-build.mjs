// How a service is built: its sources, its libs and their packages become a few files. A start then loads some fifty
// modules in place of three thousand, which took half of its time (decision 0062).
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

const configFile = fileURLToPath(new URL('../../.swcrc', import.meta.url));

/**
 * What stays in node_modules: native code, clients of Google that read files beside themselves, and pg, which
 * OpenTelemetry changes when it is loaded.
 */
const external = ['pg', /^@node-rs\//, /^@google-cloud\//, /^@grpc\//, /^google-auth-library$/];

/** As in tests, with the compiler that builds the libs: Rolldown's own reads decorators in another way. */
const typescript = {
  name: 'typescript',
  load: {
    filter: { id: /\.ts$/ },
    handler: async (file) => ({ ...(await transformFile(file, { configFile })), moduleType: 'js' }),
  },
};

const noMap = { version: 3, sources: [], names: [], mappings: '' };

/**
 * Traces name lines of our sources alone. A map of the packages, too, would have four megabytes, and Node reads it when
 * an error first shows its stack: a third of a second for all requests.
 */
const packages = {
  name: 'packages',
  load: {
    filter: { id: /\/node_modules\/.+\.[cm]?js$/ },
    handler: async (file) => ({ code: await readFile(file, 'utf8'), map: noMap }),
  },
};

/** Packages try to load others, which are there for those who use them. Every other warning fails the build. */
function onLog(level, log, report) {
  const isOptionalPackage = log.code === 'UNRESOLVED_IMPORT' && log.id?.includes('/node_modules/');
  if (!isOptionalPackage) report(level === 'warn' ? 'error' : level, log);
}

/**
 * @param {object} [more] of one app
 * @param {Record<string, string>} [more.programs] beside `src/main.ts`: names and modules, such as those of threads
 * @param {() => void} [more.onWritten] runs in the folder of the app, after everything is in `dist`
 * @returns {import('rolldown').BuildOptions}
 */
export const serviceBuild = ({ programs = {}, onWritten = () => {} } = {}) => ({
  input: { main: 'src/main.ts', ...programs },
  platform: 'node',
  external,
  // swc knows what is in it, and the build of an image has not all that it refers to.
  tsconfig: false,
  resolve: { conditionNames: ['@tradewind/source', 'node'], extensionAlias: { '.js': ['.ts', '.js'] } },
  plugins: [typescript, packages, { name: 'more-files', writeBundle: () => onWritten() }],
  onLog,
  // Warnings are errors, but for these: `depd` makes functions in this way, and most services use packages at once
  // that others load when they need them.
  checks: { eval: false, ineffectiveDynamicImport: false },
  logLevel: 'warn',
  output: {
    dir: 'dist',
    cleanDir: true,
    // Nest and TypeORM read the names of classes.
    keepNames: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
  },
});

export default serviceBuild();
