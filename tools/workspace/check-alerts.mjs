// `npm run check:alerts`: the alert rules and their unit tests, by Prometheus's own promtool. It must be installed, as
// no npm package has it. `npm test` checks on every machine that each alert has unit tests.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../deploy/alerts/', import.meta.url));
const files = (end) => readdirSync(folder).filter((file) => file.endsWith(end));

for (const args of [
  ['check', 'rules', ...files('.rules.yaml')],
  ['test', 'rules', ...files('.test.yaml')],
]) {
  const { status, error } = spawnSync('promtool', args, { cwd: folder, stdio: 'inherit' });
  if (error?.code === 'ENOENT') {
    console.error(
      'promtool is not installed. It comes with Prometheus: https://prometheus.io/download, or apt-get install prometheus',
    );
    process.exit(1);
  }
  if (error) throw error;
  if (status !== 0) process.exit(1);
}
console.log('The alert rules are valid and pass their unit tests.');
