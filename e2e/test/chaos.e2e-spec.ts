// A chaos run of three minutes, with every change. Longer ones: npm run chaos.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { rootDir } from '../src/platform-process.js';

const minutes = '3';
/** In its strikes: kill -9 of a service and of PostgreSQL, a rolling restart, a step of a clock, and overlaps. */
const seed = '21';
/** `npm run chaos` alone has six, which take more than one core. */
const callers = '2';
/** How soon services recover beside other tests says little. `npm run chaos` alone allows 15 s. */
const readySeconds = '40';
/** Start, load, settling and stop on two cores that also run other tests. */
const timeoutMs = 600_000;

it(
  'under load and faults nothing is lost, doubled, bought twice or refused without a cause',
  async () => {
    const hooks = join(rootDir, 'tools/workspace/source-hooks.mjs');
    const words = ['--conditions=@tradewind/source', '--import', hooks];
    const main = join(rootDir, 'e2e/chaos/main.ts');
    const options = ['--minutes', minutes, '--seed', seed, '--callers', callers, '--ready-seconds', readySeconds];
    const { TEST_DATABASE_URL: _test, ...env } = process.env;
    const run = promisify(execFile)(process.execPath, [...words, main, ...options], {
      cwd: rootDir,
      env,
      timeout: timeoutMs,
    });
    const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => {
      // Its table says what was found. Before it is a line for each strike.
      const [strikes, table] = error.stdout.split('\nFindings\n');
      throw new Error([table ?? strikes?.slice(-4000), error.stderr.slice(-4000)].join('\n'));
    });
    expect(stdout).toContain('\n0 findings.');
    // The logs were searched, and for the secrets of this very run.
    expect(stdout).toMatch(/ MB of text, [1-9]\d{2,} known values, 0 secrets\n/);
  },
  timeoutMs + 30_000,
);
