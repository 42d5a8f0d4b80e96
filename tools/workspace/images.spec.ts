import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { apps, dockerfile, nodeOptions } from './dockerfiles.mjs';
import { stages, steps } from './image-stages.mjs';
import { isUnused, prune } from './prune-packages.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the steps of a Dockerfile', () => {
  it('are read with flags, without comments, continued lines in one', () => {
    expect(
      steps('# note\nRUN --mount=type=cache,target=/x npm ci\n\nCOPY --from=build /a/b c\nENV A=1 \\\n    B=2\n'),
    ).toMatchObject([
      { instruction: 'RUN', rest: 'npm ci', flags: { mount: 'type=cache,target=/x' } },
      { instruction: 'COPY', words: ['/a/b', 'c'], flags: { from: 'build' } },
      { instruction: 'ENV', rest: 'A=1 B=2' },
    ]);
  });

  it('make two stages the same when everything they stand on is', () => {
    const text = (run: string) => `FROM x AS a\nRUN ${run}\nFROM a AS b\nRUN two\nFROM y AS c\nCOPY --from=b /f f\n`;
    const keys = (run: string) => stages(text(run)).map(({ key }) => key);
    expect(keys('one')).toEqual(keys('one'));
    for (const [index, key] of keys('one').entries()) expect(keys('other')[index]).not.toBe(key);
  });
});

describe('the Dockerfiles', () => {
  it('share one build', () => {
    const builds = apps.map((app) => stages(dockerfile(app)).find(({ name }) => name === 'build')!.key);
    expect(new Set(builds).size).toBe(1);
  });

  it.each(apps)('fill the compile cache of %s as its user and with its options', (app) => {
    const runtime = stages(dockerfile(app)).find(({ name }) => name === 'runtime')!.steps;
    const user = runtime.findIndex(({ instruction }) => instruction === 'USER');
    const fill = runtime.findIndex(({ rest }) => rest.includes('main.js --help'));
    expect(runtime[user]!.rest).toBe('65532:65532');
    expect(fill).toBeGreaterThan(user);
    expect(runtime[fill]!.rest).toContain(
      ['node', ...(nodeOptions(app) as string[]), `apps/${app}/bundle/main.js`].join(' '),
    );
  });
});

describe('pruning packages', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-prune-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['/node_modules/a/index.js', false, false],
    ['/node_modules/a/index.d.ts', false, true],
    ['/node_modules/a/index.d.mts', false, true],
    ['/node_modules/a/index.js.map', false, true],
    ['/node_modules/a/README.md', false, true],
    ['/node_modules/a/LICENSE.md', false, false],
    ['/node_modules/a/package.json', false, false],
    ['/node_modules/a/data.json', false, false],
    ['/node_modules/typescript', true, true],
    ['/node_modules/a/node_modules/typescript', true, true],
    ['/node_modules/not-typescript', true, false],
    ['/node_modules/typeorm/browser', true, true],
    ['/node_modules/a/browser', true, false],
  ])('%s (a folder: %s): removed is %s', (path, isFolder, expected) => {
    expect(isUnused(path, isFolder)).toBe(expected);
  });

  it('goes through packages within packages, and leaves what links point to', () => {
    const files = [
      'lib/own.ts',
      'node_modules/a/a.js',
      'node_modules/a/a.d.ts',
      'node_modules/a/node_modules/b/b.js.map',
    ];
    for (const file of files) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    symlinkSync(join(folder, 'lib'), join(folder, 'node_modules/own'));
    prune(join(folder, 'node_modules'));
    expect(files.filter((file) => existsSync(join(folder, file)))).toEqual(['lib/own.ts', 'node_modules/a/a.js']);
  });

  it('is all of tools/ that a build sees', () => {
    const copied = apps.flatMap((app) => [...dockerfile(app).matchAll(/^COPY (tools\/\S+)/gm)].map(([, path]) => path));
    expect(new Set(copied)).toEqual(new Set(['tools/workspace/bundle.mjs', 'tools/workspace/prune-packages.mjs']));
    expect(readFileSync(join(root, '.dockerignore'), 'utf8')).toContain(
      '\n!tools/workspace/bundle.mjs\n!tools/workspace/prune-packages.mjs\n',
    );
  });
});
