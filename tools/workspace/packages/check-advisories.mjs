// `npm run check:advisories`: asks the registry for known advisories of the locked packages. It needs the network, so
// it is not part of `npm run check`. Not every registry answers; then it says so and does not fail.
import { spawnSync } from 'node:child_process';
import { root } from '../projects.mjs';
import { judgeAdvisories } from './advisories.mjs';

const words = ['audit', '--omit=dev', '--json', '--fetch-retries=1', '--fetch-timeout=20000'];
const { stdout, stderr } = spawnSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 64e6 });
const { isAnswered, faults } = judgeAdvisories(parsed(stdout), new Date().toISOString().slice(0, 10));
if (!isAnswered) {
  const reason = /audit (\d{3}.*|.*request to.*)/.exec(stderr ?? '')?.[1] ?? 'it gave no report';
  console.log(`Advisories were NOT checked, because the registry does not answer: ${reason}`);
} else {
  for (const fault of faults) console.error(fault);
  console.log(`Advisories were checked: ${faults.length} of high or critical severity in what is deployed`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
