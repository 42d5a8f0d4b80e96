// What `npm test` prints while it runs: a line for each test file, failures in full. The totals go to the parent process,
// test.mjs, which prints them last: `{files: [{name, path, passed, failed, isBroken, skipped}]}`, a file each.

export default class Reporter {
  #files = [];
  #startedAt = Date.now();

  constructor(globalConfig) {
    // With -t, Jest calls everything else "pending".
    this.isNarrowed = Boolean(globalConfig.testNamePattern);
  }

  onTestResult(test, result) {
    const project = test.context.config.displayName?.name ?? '';
    const file = result.testFilePath.slice(test.context.config.rootDir.length + 1);
    const seconds = ((result.perfStats.end - result.perfStats.start) / 1000).toFixed(1);
    const { numPassingTests: passed, numFailingTests: failed, numPendingTests: skipped, numTodoTests: todo } = result;
    const isBroken = result.testExecError !== undefined;
    const isBad = failed > 0 || isBroken;
    const counts = [`${passed} passed`, failed && `${failed} failed`, skipped + todo && `${skipped + todo} skipped`]
      .filter(Boolean)
      .join(', ');
    const name = `${project} ${file}`;
    console.log(`${isBad ? '✗' : '✓'} ${name} (${counts}, ${seconds} s)`);
    if (result.failureMessage) console.log(result.failureMessage);
    const isSkipped = ({ status }) => ['pending', 'skipped', 'todo', 'disabled'].includes(status);
    const skippedTests = this.isNarrowed ? [] : result.testResults.filter(isSkipped);
    this.#files.push({
      name,
      path: result.testFilePath,
      passed,
      failed,
      isBroken,
      skipped: skippedTests.map(({ fullName }) => `${name}: ${fullName}`),
    });
  }

  onRunComplete(_contexts, results) {
    const failures = this.#files.filter(({ failed, isBroken }) => failed > 0 || isBroken);
    if (failures.length > 0) console.log(`\nFailed:\n${failures.map(({ name }) => `  ${name}`).join('\n')}`);
    console.log(`\n${results.numTotalTestSuites} files in ${Math.round((Date.now() - this.#startedAt) / 1000)} s`);
    process.send?.({ files: this.#files });
  }
}
