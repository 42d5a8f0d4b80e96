// One Jest configuration for every project. Node loads the sources (tools/workspace/jest-hooks.mjs), and one process
// runs all files of a project (tools/workspace/jest-runner.mjs). One PostgreSQL per run.
const here = (path) => new URL(path, import.meta.url).pathname;

export default {
  testMatch: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/out-tsc/'],
  runner: here('tools/workspace/jest-runner.mjs'),
  transform: {},
  globalSetup: here('tools/workspace/jest-postgres-start.mjs'),
  globalTeardown: here('tools/workspace/jest-postgres-stop.mjs'),
  reporters: [here('tools/workspace/jest-reporter.mjs')],
  // Nx runs several projects at a time.
  maxWorkers: 1,
  testTimeout: 30_000,
};
