// What a project's tests print: a line for each file, failures in full. Its summary goes to `test-results/test.json`,
// an output of the target `test` that Nx keeps: `{passed, failed, failures: [{name, message}]}`. A file that cannot be
// run counts as a failure, and so does a skipped test.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Of a target, relative to the project. */
export const summaryFile = (target) => `test-results/${target}.json`;

/** Nx names the target; Jest alone runs what `test` runs. */
const target = process.env.NX_TASK_TARGET_TARGET ?? 'test';

/** After the last test everything should be closed; what still runs then was left behind by a test. */
const lingerMsMax = Number(process.env.TEST_LINGER_MS ?? 30_000);

export default class Reporter {
  #files = [];
  #rootDir;
  #isNarrowed;
  #skipped = [];

  constructor(globalConfig) {
    this.#rootDir = globalConfig.rootDir;
    // With -t, Jest calls everything else "pending".
    this.#isNarrowed = Boolean(globalConfig.testNamePattern);
  }

  onTestResult(test, result) {
    const project = test.context.config.displayName?.name ?? '';
    const name = `${project} ${result.testFilePath.slice(test.context.config.rootDir.length + 1)}`;
    const seconds = ((result.perfStats.end - result.perfStats.start) / 1000).toFixed(1);
    const { numPassingTests: passed, numFailingTests: failed } = result;
    const isBroken = result.testExecError !== undefined;
    const isSkipped = ({ status }) => ['pending', 'skipped', 'todo', 'disabled'].includes(status);
    const skipped = this.#isNarrowed ? [] : result.testResults.filter(isSkipped);
    const counts = [`${passed} passed`, failed && `${failed} failed`, skipped.length && `${skipped.length} skipped`];
    const isBad = failed > 0 || isBroken || skipped.length > 0;
    console.log(`${isBad ? '✗' : '✓'} ${name} (${counts.filter(Boolean).join(', ')}, ${seconds} s)`);
    if (result.failureMessage) console.log(result.failureMessage);
    for (const { fullName } of skipped) console.log(`  skipped, which counts as failed: ${fullName}`);
    this.#skipped.push(...skipped);
    const message = [result.failureMessage, ...skipped.map(({ fullName }) => `skipped: ${fullName}`)]
      .filter(Boolean)
      .join('\n');
    this.#files.push({ name, passed, failed: failed + Number(isBroken) + skipped.length, message });
  }

  onRunComplete() {
    const sum = (key) => this.#files.reduce((total, file) => total + file[key], 0);
    const failedFiles = this.#files.filter(({ failed }) => failed > 0);
    const failures = failedFiles.map(({ name, message }) => ({ name, message }));
    const path = join(this.#rootDir, summaryFile(target));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ passed: sum('passed'), failed: sum('failed'), failures }));
    setTimeout(() => {
      console.log('A test left something running, so the run did not end. Find it with --detectOpenHandles.');
      process.exit(1);
    }, lingerMsMax).unref();
  }

  /** Jest fails the run with it. */
  getLastError() {
    return this.#skipped.length > 0 ? new Error(`${this.#skipped.length} skipped tests`) : undefined;
  }
}
