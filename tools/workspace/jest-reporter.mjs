// What `npm test` prints while it runs: a line for each test file, failures in full. The totals go to the parent process,
// test.mjs, which prints them last.

export default class Reporter {
  #failures = [];
  #skipped = [];
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
    const isBad = failed > 0 || result.testExecError !== undefined;
    const counts = [`${passed} passed`, failed && `${failed} failed`, skipped + todo && `${skipped + todo} skipped`]
      .filter(Boolean)
      .join(', ');
    console.log(`${isBad ? '✗' : '✓'} ${project} ${file} (${counts}, ${seconds} s)`);
    if (result.failureMessage) {
      this.#failures.push(`${project} ${file}`);
      console.log(result.failureMessage);
    }
    if (this.isNarrowed) return;
    for (const { status, fullName } of result.testResults) {
      if (['pending', 'skipped', 'todo', 'disabled'].includes(status))
        this.#skipped.push(`${project} ${file}: ${fullName}`);
    }
  }

  onRunComplete(_contexts, results) {
    if (this.#failures.length > 0) console.log(`\nFailed:\n${this.#failures.map((name) => `  ${name}`).join('\n')}`);
    console.log(`\n${results.numTotalTestSuites} files in ${Math.round((Date.now() - this.#startedAt) / 1000)} s`);
    process.send?.({
      passed: results.numPassedTests,
      failed: results.numFailedTests,
      broken: results.numRuntimeErrorTestSuites,
      skipped: this.#skipped,
    });
  }
}
