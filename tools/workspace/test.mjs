// `npm test`: builds, then runs every test of every project. The last line is `N passed, N failed`; a file that cannot be run
// counts as a failure, and so does a skipped test, unless it is named: `npm test -- --may-skip="part of its name"`.
// Further words go to Jest; the name of a project, or part of a path, narrows the run: `npm test -- identity`.
// In a run of everything, up to three files that failed are run once more by themselves; see decision 0065.
// `npm run test:emulators` runs the `*.emulator-spec.ts` files instead, against Google's emulators.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { tryBuild } from './build.mjs';
import { projects } from './projects.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// After the last test everything should be closed; what still runs then was left behind by a test.
const lingerMsMax = 30_000;
/** More failures than that are no accident of timing. */
const repeatedFilesMax = 3;

/** @returns what to tell Jest, and what may be skipped */
export function parseArguments(words, projectNames) {
  const mayBeSkipped = words
    .filter((word) => word.startsWith('--may-skip='))
    .map((word) => word.slice('--may-skip='.length));
  const rest = words.filter((word) => !word.startsWith('--may-skip=') && word !== '--emulators');
  const selected = rest.filter((word) => projectNames.includes(word));
  const forJest = rest.filter((word) => !selected.includes(word));
  if (selected.length > 0) forJest.push('--selectProjects', ...selected);
  return { mayBeSkipped, forJest, isForEmulators: words.includes('--emulators') };
}

/** @returns the numbers of the last line, and what is to be said before it */
export function verdict(report, mayBeSkipped = []) {
  if (!report) return { passed: 0, failed: 1, remarks: ['The test run ended before it could report.'] };
  const sum = (count) => report.files.reduce((total, file) => total + count(file), 0);
  const skipped = report.files.flatMap((file) => file.skipped);
  const forbidden = skipped.filter((name) => !mayBeSkipped.some((part) => name.includes(part)));
  const remarks = skipped.map((name) => `skipped${forbidden.includes(name) ? '' : ', as asked'}: ${name}`);
  for (const { name, isUnstable } of report.files)
    if (isUnstable) remarks.push(`unstable, failed above and passed by itself: ${name}`);
  const passed = sum((file) => file.passed);
  const failed = sum((file) => file.failed + Number(file.isBroken)) + forbidden.length;
  if (passed + failed === 0) return { passed: 0, failed: 1, remarks: [...remarks, 'No test was found.'] };
  return { passed, failed, remarks };
}

const hasFailed = ({ failed, isBroken }) => failed > 0 || isBroken;

/** @returns the paths of the files worth another run: a few that failed among others that passed */
export function filesToRepeat(report) {
  const paths = (report?.files ?? []).filter(hasFailed).map(({ path }) => path);
  return paths.length <= repeatedFilesMax && paths.length < (report?.files.length ?? 0) ? paths : [];
}

/** @returns the report with what the repeated files came to; a file that the other run did not reach stays as it was */
export function withRepeated(report, repeated) {
  const files = report.files.map((file) => {
    const again = repeated?.files.find(({ path }) => path === file.path);
    return again && !hasFailed(again) ? { ...again, isUnstable: true } : file;
  });
  return { files };
}

async function main() {
  const { mayBeSkipped, forJest, isForEmulators } = parseArguments(
    process.argv.slice(2),
    projects().map(({ name }) => name),
  );
  // Those files find or start their emulator themselves, and fail where there is none.
  if (isForEmulators) forJest.push('--testMatch', '**/*.emulator-spec.ts');
  console.log('building');
  if (!tryBuild()) {
    console.log('0 passed, 1 failed');
    process.exit(1);
  }
  let { report, code, hasLingered } = await runJest({ args: forJest });
  const toRepeat = forJest.length === 0 && !hasLingered ? filesToRepeat(report) : [];
  if (toRepeat.length > 0) {
    console.log('\nonce more, by itself:');
    const again = await runJest({ args: ['--runInBand', '--runTestsByPath', ...toRepeat] });
    report = withRepeated(report, again.report);
    ({ code, hasLingered } = again);
  }
  const { passed, failed, remarks } = verdict(report, mayBeSkipped);
  if (hasLingered)
    remarks.push('A test left something running: the run did not end by itself. Find it with --detectOpenHandles.');
  const isCrash = code !== 0 && report && failed === 0;
  if (isCrash && !hasLingered) remarks.push(`Jest ended with code ${code}.`);
  for (const remark of remarks) console.log(remark);
  const failures = failed + (hasLingered || isCrash ? 1 : 0);
  console.log(`${passed} passed, ${failures} failed`);
  process.exitCode = failures > 0 ? 1 : 0;
}

/**
 * Runs Jest as a process of its own, which reports through jest-reporter.mjs.
 * @returns {Promise<{report?: object, code: number | null, hasLingered: boolean}>}
 */
export async function runJest({ args = [], config = here('jest.all.config.js'), lingerMs = lingerMsMax }) {
  const child = spawn(process.execPath, [here('../../node_modules/jest/bin/jest.js'), '--config', config, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      ...process.env,
      // Tests that start processes must find the same Node.
      NODE_OPTIONS:
        `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`.trim(),
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  let report;
  let hasLingered = false;
  let timer;
  child.on('message', (message) => {
    report = message;
    timer = setTimeout(() => {
      hasLingered = true;
      // Its globalTeardown still stops the database.
      child.kill('SIGKILL');
    }, lingerMs);
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  return { report, code, hasLingered };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
