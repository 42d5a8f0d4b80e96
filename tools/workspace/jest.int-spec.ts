// What the target `test` makes of tests that pass, fail, are skipped, cannot be read, hang or leave something behind.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { summaryFile } from './jest-reporter.mjs';
import { root } from './projects.mjs';

const here = (name: string) => join(root, 'tools/workspace', name);

describe('a test run', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  /** Files run in the order of their names. */
  function run(files: Record<string, string>, ...words: string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'tradewind-test-run-'));
    folders.push(folder);
    const imports = "import { beforeAll, afterAll, describe, expect, it, jest } from '@jest/globals';";
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), `${imports} ${text}`);
    writeFileSync(
      join(folder, 'by-name.cjs'),
      `module.exports = class { sort(tests) { return [...tests].sort((a, b) => (a.path < b.path ? -1 : 1)); }
        allFailedTests(tests) { return tests; } cacheResults() {} };`,
    );
    const config = {
      ...{ rootDir: folder, displayName: 'example', transform: {}, testTimeout: 500, maxWorkers: 1 },
      ...{ runner: here('jest-runner.mjs'), reporters: [here('jest-reporter.mjs')] },
      testSequencer: join(folder, 'by-name.cjs'),
    };
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
    const args = [here('jest.mjs'), '--config', 'jest.config.json', ...words];
    const { status, stdout } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], TEST_LINGER_MS: '1500', FORCE_COLOR: '0' },
    });
    return {
      status,
      output: stdout,
      summary: JSON.parse(readFileSync(join(folder, summaryFile('test')), 'utf8')) as Record<string, unknown>,
    };
  }

  it('succeeds when everything passed', () => {
    const { status, summary } = run({ 'good.test.mjs': "it('one', () => {}); it('two', () => {});" });
    expect({ status, summary }).toEqual({ status: 0, summary: { passed: 2, failed: 0, failures: [] } });
  });

  it('adds up failures, skipped tests and files that cannot be run', () => {
    const { status, summary, output } = run({
      'good.test.mjs': "it('one', () => {}); it('two', () => {});",
      'bad.test.mjs': "it('adds', () => { expect(1 + 1).toBe(3); });",
      'idle.test.mjs': "it('runs', () => {}); it.skip('rests', () => {}); it.todo('waits');",
      'unreadable.test.mjs': "throw new Error('cannot be loaded');",
      'unhooked.test.mjs': "afterAll(() => { throw new Error('not closed'); }); it('ends', () => {});",
    });
    expect(status).toBe(1);
    expect(summary).toMatchObject({ passed: 4, failed: 5 });
    expect(summary['failures']).toHaveLength(4);
    expect(output).toContain('✓ example good.test.mjs (2 passed,');
    expect(output).toContain('✗ example bad.test.mjs (0 passed, 1 failed,');
    expect(output).toContain('skipped, which counts as failed: rests');
    expect(output).toContain('cannot be loaded');
    expect(output).toContain('not closed');
  });

  it('keeps the message of each failure for the end of the run', () => {
    const { summary } = run({ 'bad.test.mjs': "it('adds', () => { expect(1 + 1).toBe(3); });" });
    expect(summary['failures']).toEqual([
      {
        name: 'example bad.test.mjs',
        message: expect.stringMatching(/adds[\s\S]*Expected: 3[\s\S]*bad\.test\.mjs:1:/),
      },
    ]);
  });

  it('fails for a skipped test alone', () => {
    const { status, summary } = run({ 'idle.test.mjs': "it('runs', () => {}); it.skip('rests', () => {});" });
    expect({ status, summary }).toMatchObject({ status: 1, summary: { passed: 1, failed: 1 } });
  });

  it('ends and fails a run that leaves something running', () => {
    const { status, output } = run({
      'server.test.mjs': `import net from 'node:net';
        it('listens', (done) => { net.createServer().listen(0, '127.0.0.1', done); });`,
    });
    expect(status).toBe(1);
    expect(output).toContain('left something running');
  });

  it('fails a test that hangs, and runs the next', () => {
    const { status, summary, output } = run({
      'hangs.test.mjs': "it('waits', () => new Promise(() => {})); it('runs', () => {});",
    });
    expect({ status, summary }).toMatchObject({ status: 1, summary: { passed: 1, failed: 1 } });
    expect(output).toContain('Exceeded timeout of 500 ms');
  });

  it('fails a test whose errors nobody catches, and those between tests', () => {
    const { status, summary, output } = run({
      'a.test.mjs': `it('rejects', () => { void Promise.reject(new Error('not awaited')); });
        it('throws later', async () => {
          setTimeout(() => { throw new Error('from a timer'); }, 1);
          await new Promise((resolve) => setTimeout(resolve, 20));
        });
        it('catches late', async () => {
          const late = Promise.reject(new Error('caught late'));
          await new Promise((resolve) => setTimeout(resolve, 5));
          await expect(late).rejects.toThrow('caught late');
        });`,
      'b.test.mjs': "afterAll(() => { void Promise.reject(new Error('from a hook')); }); it('runs', () => {});",
    });
    expect({ status, summary }).toMatchObject({ status: 1, summary: { passed: 2, failed: 3 } });
    for (const message of ['not awaited', 'from a timer', 'from a hook']) expect(output).toContain(message);
    expect(output).not.toContain('caught late');
  });

  it('loads a module once, and undoes what a file does to the environment, timers and mocks', () => {
    const { status, output } = run({
      'shared.mjs': 'globalThis.timesLoaded = (globalThis.timesLoaded ?? 0) + 1;',
      'a.test.mjs': `import './shared.mjs';
        process.env.ADDED = '1'; delete process.env.TEST_LINGER_MS;
        jest.useFakeTimers(); jest.spyOn(Math, 'random').mockReturnValue(2);
        it('changes much', () => expect(Math.random()).toBe(2));`,
      'b.test.mjs': `import './shared.mjs';
        it('finds it as it was', async () => {
          expect([process.env.ADDED, process.env.TEST_LINGER_MS]).toEqual([undefined, '1500']);
          await new Promise((resolve) => setTimeout(resolve, 1));
          expect(Math.random()).toBeLessThan(1);
          expect(globalThis.timesLoaded).toBe(1);
        });`,
    });
    expect({ status, output }).toMatchObject({ status: 0 });
  });

  it('runs the tests of a name, and compares with snapshots', () => {
    const files = {
      'a.test.mjs': "it('is kept', () => { expect({ a: 1 }).toMatchSnapshot(); }); it('is not', () => { throw 1; });",
    };
    expect(run(files, '-t', 'is kept')).toMatchObject({ status: 0, summary: { passed: 1, failed: 0 } });
    expect(run(files, '-t', 'is kept', '--ci')).toMatchObject({ status: 1, summary: { passed: 0, failed: 1 } });
  });
});
