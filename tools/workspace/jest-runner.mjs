// Runs the test files of a project one after the other in one process, with Node's own module loader. What they import
// is loaded once: Jest's own runner loads it again for each file, about a quarter of all processor time of the tests.
// In return files share the state of modules. What a file does to the environment, to timers and to mocks is undone
// after it. Needs the preload jest-hooks.mjs.
import { pathToFileURL } from 'node:url';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { jestExpect } from '@jest/expect';
import { createEmptyTestResult } from '@jest/test-result';
import { addEventHandler, getState, resetState, run } from 'jest-circus';
import { formatResultsErrors } from 'jest-message-util';
import { buildSnapshotResolver, SnapshotState } from 'jest-snapshot';
import { jest } from './jest-globals.mjs';

/** Errors that no test caught, in the order in which they came: rejections by their promise. */
const uncaught = new Map();
process.on('uncaughtException', (error) => uncaught.set({}, error));
process.on('unhandledRejection', (error, promise) => uncaught.set(promise, error));
process.on('rejectionHandled', (promise) => uncaught.delete(promise));

function takeUncaught() {
  const errors = [...uncaught.values()];
  uncaught.clear();
  return errors;
}

addEventHandler(async (event, state) => {
  if (event.name === 'test_start') {
    let currentTestName = event.test.name;
    for (let block = event.test.parent; block.parent; block = block.parent) {
      currentTestName = `${block.name} ${currentTestName}`;
    }
    jestExpect.setState({ currentTestName });
  }
  if (event.name === 'test_done') {
    const { suppressedErrors } = jestExpect.getState();
    jestExpect.setState({ suppressedErrors: [] });
    const miscounted = jestExpect.extractExpectedAssertionsErrors().map(({ error }) => error);
    await nextTurn();
    event.test.errors.push(...suppressedErrors, ...miscounted, ...takeUncaught());
  }
  if (event.name === 'run_finish') {
    await nextTurn();
    state.unhandledErrors.push(...takeUncaught());
  }
});

export default class Runner {
  isSerial = true;
  #globalConfig;

  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    for (const test of tests) {
      if (watcher.isInterrupted()) return;
      await onStart(test);
      try {
        await onResult(test, await runFile(test, this.#globalConfig));
      } catch (error) {
        await onFailure(test, error);
      }
    }
  }
}

async function runFile({ path, context: { config } }, globalConfig) {
  const start = Date.now();
  const env = { ...process.env };
  const resolver = await buildSnapshotResolver(config);
  const { updateSnapshot, expand } = globalConfig;
  const snapshotState = new SnapshotState(resolver.resolveSnapshotPath(path), {
    ...{ updateSnapshot, expand, rootDir: config.rootDir },
    ...{ prettierPath: config.prettierPath, snapshotFormat: config.snapshotFormat },
  });
  resetState();
  getState().testTimeout = globalConfig.testTimeout ?? config.testTimeout;
  if (globalConfig.testNamePattern) getState().testNamePattern = new RegExp(globalConfig.testNamePattern, 'i');
  jestExpect.setState({ testPath: path, snapshotState, expand });
  try {
    await import(pathToFileURL(path).href);
    const { testResults, unhandledErrors } = await run();
    return {
      ...createEmptyTestResult(),
      ...counted(testResults, unhandledErrors, config, globalConfig, path),
      snapshot: saved(snapshotState, testResults),
      perfStats: { ...createEmptyTestResult().perfStats, start, end: Date.now(), runtime: Date.now() - start },
      testFilePath: path,
    };
  } finally {
    jest.restoreAllMocks();
    jest.useRealTimers();
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }
}

/** @returns what Jest counts and prints, of what jest-circus found */
function counted(found, unhandledErrors, config, globalConfig, path) {
  const testResults = found.map((test) => {
    const [, ...titles] = test.testPath;
    const status = test.status === 'skip' ? 'pending' : test.status;
    return {
      ancestorTitles: titles.slice(0, -1),
      title: titles.at(-1),
      fullName: titles.join(' '),
      status: status === 'done' ? (test.errors.length > 0 ? 'failed' : 'passed') : status,
      duration: test.duration,
      invocations: test.invocations,
      numPassingAsserts: test.numPassingAsserts,
      failureMessages: test.errors,
      failureDetails: test.errorsDetailed,
      location: test.location,
    };
  });
  const count = (status) => testResults.filter((test) => test.status === status).length;
  const messages = [formatResultsErrors(testResults, config, globalConfig, path), ...unhandledErrors];
  const failureMessage = messages.filter(Boolean).join('\n\n');
  return {
    testResults,
    numPassingTests: count('passed'),
    numFailingTests: count('failed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    ...(failureMessage && { failureMessage }),
    ...(unhandledErrors.length > 0 && {
      testExecError: { message: unhandledErrors.join('\n'), stack: unhandledErrors.join('\n') },
    }),
  };
}

/** Writes new snapshots. Counts those that no test met, of tests that ran. */
function saved(snapshotState, found) {
  for (const { status, errors, testPath } of found) {
    const hasRun = status === 'done' && errors.length === 0;
    if (!hasRun) snapshotState.markSnapshotsAsCheckedForTest(testPath.slice(1).join(' '));
  }
  const uncheckedKeys = snapshotState.getUncheckedKeys();
  const unchecked = snapshotState.getUncheckedCount();
  const { added, matched, unmatched, updated } = snapshotState;
  const { deleted: fileDeleted } = snapshotState.save();
  return { added, matched, unmatched, updated, fileDeleted, unchecked, uncheckedKeys };
}
