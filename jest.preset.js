// One Jest configuration for every project. ESM, SWC for both build and tests, one PostgreSQL per run.
import { readFileSync } from 'node:fs';

const swc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));
const here = (path) => new URL(path, import.meta.url).pathname;

export default {
  testEnvironment: 'node',
  testMatch: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.e2e-spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/out-tsc/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: 'inline' }] },
  resolver: here('tools/workspace/jest-resolver.cjs'),
  testEnvironmentOptions: { customExportConditions: ['@tradewind/source', 'node', 'node-addons'] },
  globalSetup: here('tools/workspace/jest-postgres-start.mjs'),
  globalTeardown: here('tools/workspace/jest-postgres-stop.mjs'),
  reporters: [here('tools/workspace/jest-reporter.mjs')],
  // Nx runs several projects at a time. A worker beside the runner is replaced when it has grown.
  maxWorkers: 1,
  workerIdleMemoryLimit: '700MB',
  // A worker that holds 500 MB needs more than Jest's half second to end on a busy machine.
  workerGracefulExitTimeout: 10_000,
  testTimeout: 30_000,
};
