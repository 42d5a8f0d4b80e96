// All projects in one Jest run, for `npm test`: one PostgreSQL, two workers, one report.
import preset from '../../jest.preset.js';
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const rootDir = fileURLToPath(new URL('../../', import.meta.url));

export default {
  rootDir,
  projects: globSync('{apps,libs,tools}/*/jest.config.js', { cwd: rootDir })
    .concat(globSync('{e2e,deploy}/jest.config.js', { cwd: rootDir }))
    .sort()
    .map((file) => `<rootDir>/${dirname(file)}`),
  reporters: [fileURLToPath(new URL('jest-reporter.mjs', import.meta.url))],
  maxWorkers: 2,
  // A worker that holds 500 MB needs more than Jest's half second to end on a busy machine. What has not ended after this
  // was kept by a test, and only then Jest says so.
  workerGracefulExitTimeout: 10_000,
  // Jest reads these from the top only, not from each project.
  testTimeout: preset.testTimeout,
  workerIdleMemoryLimit: preset.workerIdleMemoryLimit,
};
