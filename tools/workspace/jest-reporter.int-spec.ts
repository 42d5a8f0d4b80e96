// What the target `test` makes of tests that pass, fail, are skipped, cannot be read or leave something running.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { summaryFile } from './jest-reporter.mjs';
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
    const reporter = join(root, 'tools/workspace/jest-reporter.mjs');
    const config = { rootDir: folder, displayName: 'example', transform: {}, reporters: [reporter] };
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const { status, stdout } = spawnSync(process.execPath, [jest, '--config', 'jest.config.json', '-i'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], TEST_LINGER_MS: '1500' },
    });
    return {
      status,
      output: stdout,
      summary: JSON.parse(readFileSync(join(folder, summaryFile('test')), 'utf8')) as Record<string, unknown>,
    };
  }

  it('succeeds when everything passed', () => {
    const { status, summary } = run({ 'good.test.js': "it('one', () => {}); it('two', () => {});" });
    expect({ status, summary }).toEqual({ status: 0, summary: { passed: 2, failed: 0, failedFiles: [] } });
  });

  it('adds up failures, skipped tests and files that cannot be run', () => {
    const { status, summary, output } = run({
      'good.test.js': "it('one', () => {}); it('two', () => {});",
      'bad.test.js': "it('adds', () => { expect(1 + 1).toBe(3); });",
      'idle.test.js': "it('runs', () => {}); it.skip('rests', () => {}); it.todo('waits');",
      'unreadable.test.js': "throw new Error('cannot be loaded');",
    });
    expect(status).toBe(1);
    expect(summary).toMatchObject({ passed: 3, failed: 4 });
    expect(summary['failedFiles']).toHaveLength(3);
    expect(output).toContain('✓ example good.test.js (2 passed,');
    expect(output).toContain('✗ example bad.test.js (0 passed, 1 failed,');
    expect(output).toContain('skipped, which counts as failed: rests');
    expect(output).toContain('cannot be loaded');
  });

  it('fails for a skipped test alone', () => {
    const { status, summary } = run({ 'idle.test.js': "it('runs', () => {}); it.skip('rests', () => {});" });
    expect({ status, summary }).toMatchObject({ status: 1, summary: { passed: 1, failed: 1 } });
  });

  it('ends and fails a run that leaves something running', () => {
    const { status, output } = run({
      'server.test.js':
        "it('listens', (done) => { require('node:net').createServer().listen(0, '127.0.0.1', done); });",
    });
    expect(status).toBe(1);
    expect(output).toContain('left something running');
  });
});
