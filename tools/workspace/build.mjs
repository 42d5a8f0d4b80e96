// `npm run build`, which every command runs first that needs the programs: one line, or what failed. Within a test run
// it does nothing: Nx has built everything, and would put the same files in place again while other tests read them.
import { spawnSync } from 'node:child_process';
import './check-installed.mjs';

function build() {
  console.log('· building');
  const words = ['run-many', '-t', 'build', '--outputStyle', 'static-failures-only'];
  const { error, status, stdout, stderr } = spawnSync('nx', words, {
    encoding: 'utf8',
    env: { ...process.env, NX_ISOLATE_PLUGINS: 'false' },
  });
  if (error) throw error;
  if (status !== 0) process.stderr.write(stdout + stderr);
  process.exitCode = status ?? 1;
}

if (process.env.TEST_BUILT !== 'true') build();
