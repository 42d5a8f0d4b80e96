// What `npm test` makes of tests that pass, fail, are skipped, cannot be read or leave something running.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { root } from './projects.mjs';

describe('a test run', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  function run(files: Record<string, string>) {
    const folder = mkdtempSync(join(tmpdir(), 'tradewind-test-run-'));
    folders.push(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const config = {
      rootDir: folder,
      displayName: 'example',
      transform: {},
      reporters: [join(root, 'tools/workspace/jest-reporter.mjs')],
    };
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
    // Jest writes to standard output: the result takes a file.
    const script = `
      import { writeFileSync } from 'node:fs';
      import { filesToRepeat, runJest, verdict, withRepeated } from ${JSON.stringify(join(root, 'tools/workspace/test.mjs'))};
      const run = await runJest({ args: ['-i'], config: 'jest.config.json', lingerMs: 1500 });
      const paths = filesToRepeat(run.report);
      const again = paths.length > 0 && (await runJest({ args: ['-i', '--runTestsByPath', ...paths], config: 'jest.config.json' }));
      const { passed, failed, remarks } = verdict(again ? withRepeated(run.report, again.report) : run.report);
      writeFileSync('result.json', JSON.stringify({ passed, failed, remarks, code: run.code, hasLingered: run.hasLingered }));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] },
    });
    const result = readFileSync(join(folder, 'result.json'), 'utf8');
    return {
      output,
      ...(JSON.parse(result) as { passed: number; failed: number; remarks: string[]; hasLingered: boolean }),
    };
  }

  it('adds up failures, skipped tests and files that cannot be run', () => {
    const result = run({
      'good.test.js': "it('one', () => {}); it('two', () => {});",
      'bad.test.js': "it('adds', () => { expect(1 + 1).toBe(3); });",
      'idle.test.js': "it('runs', () => {}); it.skip('rests', () => {}); it.todo('waits');",
      'unreadable.test.js': "throw new Error('cannot be loaded');",
    });
    expect(result).toMatchObject({ passed: 3, failed: 4, hasLingered: false });
    expect(result.remarks).toEqual(['skipped: example idle.test.js: rests', 'skipped: example idle.test.js: waits']);
    expect(result.output).toContain('✓ example good.test.js (2 passed,');
    expect(result.output).toContain('✗ example bad.test.js (0 passed, 1 failed,');
    expect(result.output).toContain('Expected: 3');
    expect(result.output).toContain('cannot be loaded');
  });

  it('runs a few failed files once more, and names those that pass then', () => {
    const passesTheSecondTime = `
      const { existsSync, writeFileSync } = require('node:fs');
      it('is left alone', () => {});
      it('meets a race', () => {
        const isSecond = existsSync(__filename + '.ran');
        writeFileSync(__filename + '.ran', '');
        expect(isSecond).toBe(true);
      });`;
    const result = run({
      'good.test.js': "it('one', () => {});",
      'bad.test.js': "it('adds', () => { expect(1 + 1).toBe(3); }); it('waits', () => {});",
      'racy.test.js': passesTheSecondTime,
    });
    expect(result).toMatchObject({ passed: 4, failed: 1 });
    expect(result.remarks).toEqual(['unstable, failed above and passed by itself: example racy.test.js']);
    expect(result.output.match(/✗ example bad.test.js/g)).toHaveLength(2);
  });

  it('runs no file again where many fail', () => {
    const bad = "it('adds', () => { expect(1 + 1).toBe(3); });";
    const result = run({
      'a.test.js': bad,
      'b.test.js': bad,
      'c.test.js': bad,
      'd.test.js': bad,
      'good.test.js': "it('one', () => {});",
    });
    expect(result).toMatchObject({ passed: 1, failed: 4 });
    expect(result.output.match(/✗/g)).toHaveLength(4);
  });

  it('ends a run that something left behind keeps alive, and says so', () => {
    const result = run({ 'leaky.test.js': "it('leaks', () => { require('node:net').createServer().listen(0); });" });
    expect(result).toMatchObject({ passed: 1, failed: 0, hasLingered: true });
  });

  it('fails when there is no test', () => {
    expect(run({ 'nothing.js': '' })).toMatchObject({ passed: 0, failed: 1 });
  });
});
