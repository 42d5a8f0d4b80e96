import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokenLinks, unknownWords, unlinkedPages } from './documents.mjs';
import { findEntry, missingEntries, platformOf, withAddress } from './lock-optional.mjs';
import { root } from './projects.mjs';
import { makeScratchFolder } from './scratch-folder.mjs';
import { settingsTable } from './settings-table.mjs';
import { notRun, nxWords, took, totals } from './test.mjs';

describe('a command before npm ci', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const files = [
    'package.json',
    ...['build', 'check-installed', 'load-env'].map((name) => `tools/workspace/${name}.mjs`),
  ];
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-bare-'));
    for (const file of files) cpSync(join(root, file), join(folder, file));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(Object.entries(scripts))('npm run %s says that nothing is installed', (_name, script: string) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'Nothing is installed yet, or only a part. Run: npm ci\n',
    });
  });
});

it('a build within a test run leaves alone what other tests read', () => {
  const build = (isBuilt: string) =>
    spawnSync(process.execPath, [join(root, 'tools/workspace/build.mjs')], {
      env: { ...process.env, PATH: '', TEST_BUILT: isBuilt },
      encoding: 'utf8',
    });
  expect(build('true')).toMatchObject({ status: 0, stdout: '', stderr: '' });
  // Nx is not in this path.
  expect(build('')).toMatchObject({ status: 1, stdout: '· building\n' });
});

describe('npm test', () => {
  const summary = { passed: 5, failed: 0 };

  it('adds up the projects', () => {
    expect(totals([summary, { passed: 1, failed: 2 }], false)).toEqual({ passed: 6, failed: 2 });
    expect(totals([summary, summary], true)).toEqual({ passed: 10, failed: 0 });
  });

  it('fails when a project failed without a failed test, and when there was no test', () => {
    expect(totals([summary], false)).toEqual({ passed: 5, failed: 1 });
    expect(totals([], true)).toEqual({ passed: 0, failed: 1 });
  });

  it.each([
    [4_600, '0 min 5 s'],
    [119_600, '2 min 0 s'],
    [425_000, '7 min 5 s'],
  ])('says how long it took: %i ms', (ms, text) => expect(took(ms)).toBe(text));

  it('names what is not run, which is a command of its own', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    for (const hasOpenSearch of [false, true]) {
      const command = /npm run ([\w:]+)/.exec(notRun(hasOpenSearch))![1]!;
      expect(Object.keys(scripts)).toContain(command);
    }
    // Jest takes these files for no tests unless it is told to.
    expect(readFileSync(join(root, 'jest.preset.js'), 'utf8')).not.toContain('opensearch-spec');
  });

  it('passes names of projects, paths and options to Jest', () => {
    const words = nxWords(['identity', 'tokens', '-t', 'name'], ['identity', 'filters'], false).join(' ');
    expect(words).toMatch(
      /^run-many -t test test-console test-chaos tested .*-p identity -- --passWithNoTests tokens -t name$/,
    );
  });

  it('runs a sample of the tests on OpenSearch where that is installed', () => {
    expect(nxWords([], ['filters'], true)).toContain('test-opensearch-sample');
    expect(nxWords([], ['filters'], false)).not.toContain('test-opensearch-sample');
    const { targets } = JSON.parse(readFileSync(join(root, 'libs/filters/project.json'), 'utf8')) as {
      targets: object;
    };
    expect(Object.keys(targets)).toContain('test-opensearch-sample');
  });

  it('runs what a change can affect', () => {
    expect(nxWords(['--affected', '--base', 'main'], ['identity'], false).join(' ')).toMatch(
      /^affected --base main -t test test-console test-chaos tested --parallel \d --outputStyle [a-z-]+$/,
    );
  });
});

describe('the folder of a test run', () => {
  const room = { availableBytes: 2 ** 35, freeBytes: 2 ** 32 };
  let memory: string;
  beforeEach(() => {
    memory = mkdtempSync(join(tmpdir(), 'tradewind-memory-'));
  });
  afterEach(() => rmSync(memory, { recursive: true, force: true }));

  it('is in memory where that has room', () => {
    const folder = makeScratchFolder({ memory, ...room });
    expect(folder).toBe(join(memory, `tradewind-test-${process.pid}`));
    expect(existsSync(folder!)).toBe(true);
    expect(makeScratchFolder({ memory, ...room, availableBytes: 2 ** 33 })).toBeUndefined();
    expect(makeScratchFolder({ memory, ...room, freeBytes: 2 ** 31 })).toBeUndefined();
    expect(makeScratchFolder({ memory: join(memory, 'missing'), availableBytes: 2 ** 35 })).toBeUndefined();
  });

  it('takes the place of those of runs that were killed, and of no other', () => {
    const { pid: ended } = spawnSync(process.execPath, ['--version']);
    const folders = [ended, process.pid, process.ppid].map((pid) => join(memory, `tradewind-test-${pid}`));
    for (const folder of folders) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'left'), '');
    }
    makeScratchFolder({ memory, ...room });
    const left = folders.map((folder) => existsSync(join(folder, 'left')));
    expect([existsSync(folders[0]!), ...left]).toEqual([false, false, false, true]);
  });
});

describe('the lock file', () => {
  it.each([
    ['@swc/core-darwin-arm64', { cpu: ['arm64'], os: ['darwin'] }],
    ['@swc/core-linux-arm64-musl', { cpu: ['arm64'], libc: ['musl'], os: ['linux'] }],
    ['@swc/core-linux-arm-gnueabihf', { cpu: ['arm'], libc: ['glibc'], os: ['linux'] }],
    ['@nx/nx-win32-x64-msvc', { cpu: ['x64'], os: ['win32'] }],
  ])('%s is for %j', (name, platform) => {
    expect(platformOf(name)).toEqual(platform);
  });

  it('finds a package where Node would, and names the optional ones that are missing', () => {
    const packages = {
      '': { optionalDependencies: { 'tool-linux-x64': '1.0.0', 'tool-darwin-arm64': '1.0.0' } },
      'node_modules/tool-linux-x64': {},
      'node_modules/outer': {
        dev: true,
        optionalDependencies: { 'inner-win32-x64': '2.0.0', 'near-linux-x64': '1.0.0' },
      },
      'node_modules/outer/node_modules/near-linux-x64': {},
    };
    expect(findEntry(packages, 'node_modules/outer', 'tool-linux-x64')).toBe('node_modules/tool-linux-x64');
    expect(missingEntries(packages)).toEqual({
      'node_modules/tool-darwin-arm64': { version: '1.0.0', cpu: ['arm64'], optional: true, os: ['darwin'] },
      'node_modules/inner-win32-x64': { version: '2.0.0', cpu: ['x64'], dev: true, optional: true, os: ['win32'] },
    });
  });

  it('has the address of each package, so that npm need not look it up', () => {
    const address = (path: string, entry: object) => (withAddress(path, entry) as { resolved?: string }).resolved;
    const registry = 'https://registry.npmjs.org';
    expect(address('node_modules/pg', { version: '8.0.0' })).toBe(`${registry}/pg/-/pg-8.0.0.tgz`);
    expect(address('node_modules/a/node_modules/@b/c', { version: '1.0.0' })).toBe(`${registry}/@b/c/-/c-1.0.0.tgz`);
    const alias = { name: 'typescript', version: '7.0.2' };
    expect(address('node_modules/typescript-7', alias)).toBe(`${registry}/typescript/-/typescript-7.0.2.tgz`);
    expect(address('apps/identity', { version: '1.0.0' })).toBeUndefined();
    expect(address('node_modules/@tradewind/identity', { link: true, resolved: 'apps/identity' })).toBe(
      'apps/identity',
    );
  });
});

describe('configuration tables', () => {
  it('show meaning, values and defaults, and no value of a secret', () => {
    const table = settingsTable({
      COUNT: { desc: 'A count | of things', kind: 'integer, at least 1', default: 3 },
      KEY: { desc: 'A key', kind: 'secret', secret: true, devDefault: 'dev-only' },
      TOKEN: { desc: 'A token', kind: 'secret', secret: true, default: 'hidden' },
      NAME: { desc: 'A name', example: 'Ada', default: undefined },
      WORDS: { desc: 'Words', default: [] },
    });
    expect(table.split('\n').slice(2, -1)).toEqual([
      '| `COUNT` | A count \\| of things | integer, at least 1 | `3` |',
      '| `KEY` | A key | secret | **must be set**; in dev `dev-only` |',
      '| `TOKEN` | A token | secret | set |',
      '| `NAME` | A name; for example `Ada` | text | none |',
      '| `WORDS` | Words | text | empty |',
    ]);
  });
});

describe('the check of pages', () => {
  it('names links to a missing file and to a missing heading', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tradewind-pages-'));
    try {
      mkdirSync(join(folder, 'docs'));
      writeFileSync(join(folder, 'docs/other.md'), '# Other\n\n## What `it` does, in short\n');
      writeFileSync(
        join(folder, 'page.md'),
        '# Page\n[a](docs/other.md) [b](docs/other.md#what-it-does-in-short) [c](#page) [d](https://example.com/#x)\n' +
          '[e](docs/none.md) [f](docs/other.md#what-it-does) [g](#other)\n```\n[h](none.md)\n```\n',
      );
      expect(brokenLinks('page.md', folder)).toEqual(['docs/none.md', 'docs/other.md#what-it-does', '#other']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('names pages that the index does not lead to', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tradewind-pages-'));
    try {
      const texts = {
        'docs/README.md': '[a](../a.md#top) [b](../b)',
        'a.md': '[c](docs/c.md)',
        'b/README.md': '',
        'docs/c.md': '[a](../a.md)',
        'docs/d.md': '[a](../a.md)',
      };
      for (const name of ['docs', 'b']) mkdirSync(join(folder, name));
      for (const [page, text] of Object.entries(texts)) writeFileSync(join(folder, page), text);
      expect(unlinkedPages(Object.keys(texts), folder)).toEqual(['docs/d.md']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('names words that the dictionary does not have, and leaves out code, names and addresses', () => {
    const text =
      "It's a tradewind's well-knwon `spelng` of API keys by oidc-provider@9, see https://exmple.com, IPv6.\n";
    const known = new Set(['It', 'a', 'tradewind', 'well', 'of', 'keys', 'by', 'see']);
    expect([...unknownWords({ 'page.md': text }, (word: string) => known.has(word))]).toEqual([['knwon', 'page.md']]);
  });
});
