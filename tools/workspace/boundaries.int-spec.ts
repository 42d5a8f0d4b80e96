// Breaks each import rule in a small repository of its own, and sees it named.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { root } from './projects.mjs';

const manifest = (name: string, dependencies: Record<string, string> = {}) =>
  JSON.stringify({
    name: `@tradewind/${name}`,
    type: 'module',
    exports: { '.': { '@tradewind/source': './src/index.ts', default: './dist/index.js' } },
    dependencies,
  });
const own = (...names: string[]) => Object.fromEntries(names.map((name) => [`@tradewind/${name}`, '1.0.0']));
const everyLib = own('shared-types', 'filters', 'cloud-ports', 'testkit', 'other-app');

const projects = [
  { name: 'good-app', folder: 'apps/good-app', tags: ['kind:app'] },
  { name: 'bad-app', folder: 'apps/bad-app', tags: ['kind:app'] },
  { name: 'other-app', folder: 'apps/other-app', tags: ['kind:app'] },
  { name: 'shared-types', folder: 'libs/shared-types', tags: ['kind:lib', 'lib:shared-types'] },
  { name: 'filters', folder: 'libs/filters', tags: ['kind:lib', 'lib:filters'] },
  { name: 'cloud-ports', folder: 'libs/cloud-ports', tags: ['kind:lib', 'lib:cloud-ports'] },
  { name: 'testkit', folder: 'libs/testkit', tags: ['kind:lib', 'lib:testkit'] },
];

const files: Record<string, string> = {
  ...Object.fromEntries(projects.map(({ name, folder }) => [`${folder}/package.json`, manifest(name, everyLib)])),
  'apps/good-app/package.json': manifest('good-app', own('filters', 'cloud-ports', 'testkit')),
  'libs/shared-types/src/index.ts': 'export const shared = 1;',
  'libs/filters/src/index.ts': "import { shared } from '@tradewind/shared-types';\nexport const filters = shared;",
  'libs/filters/src/hidden.ts': 'export const hidden = 1;',
  'libs/cloud-ports/src/index.ts': "import '@google-cloud/storage';\nexport const ports = 1;",
  'libs/cloud-ports/package.json': manifest('cloud-ports', { '@google-cloud/storage': '1.0.0' }),
  'libs/testkit/src/index.ts': 'export const testkit = 1;',
  'apps/other-app/src/index.ts': 'export const other = 1;',
  'apps/good-app/src/main.ts':
    "import { filters } from '@tradewind/filters';\nimport { ports } from '@tradewind/cloud-ports';\nexport const good = [filters, ports];",
  'apps/good-app/test/good.e2e-spec.ts': "import { testkit } from '@tradewind/testkit';\nexport const test = testkit;",
  'apps/bad-app/src/app.ts': "import { other } from '@tradewind/other-app';\nexport const a = other;",
  'apps/bad-app/src/relative.ts': "import { other } from '../../other-app/src/index.js';\nexport const a = other;",
  'apps/bad-app/src/testkit.ts': "import { testkit } from '@tradewind/testkit';\nexport const a = testkit;",
  'apps/bad-app/src/inside.ts':
    "import { hidden } from '../../../libs/filters/src/hidden.js';\nexport const a = hidden;",
  'apps/bad-app/src/google.ts': "import '@google-cloud/storage';\nexport const a = 1;",
  'apps/bad-app/src/undeclared.ts': "import 'some-package';\nexport const a = 1;",
  'apps/bad-app/src/cycle-one.ts': "import { two } from './cycle-two.js';\nexport const one = (): unknown => two;",
  'apps/bad-app/src/cycle-two.ts': "import { one } from './cycle-one.js';\nexport const two = (): unknown => one;",
  'apps/bad-app/src/type-one.ts': "import type { Two } from './type-two.js';\nexport type One = Two | 1;",
  'apps/bad-app/src/type-two.ts': "import type { One } from './type-one.js';\nexport type Two = One[];",
  'apps/bad-app/src/up/one.ts': "import { two } from '../down/two.js';\nexport const one = two;",
  'apps/bad-app/src/down/two.ts': 'export const two = 2;',
  'apps/bad-app/src/down/back.ts': "import type { one } from '../up/one.js';\nexport type Back = typeof one;",
  'apps/good-app/src/high/one.ts':
    "import { two } from '../low/two.js';\nimport { deep } from './deep/deep.js';\nexport const one = [two, deep];",
  'apps/good-app/src/high/deep/deep.ts':
    "import { three } from '../beside/three.js';\nimport { root } from '../../root.js';\nexport const deep = [three, root];",
  'apps/good-app/src/high/beside/three.ts': 'export const three = 3;',
  'apps/good-app/src/root.ts': 'export const root = 0;',
  'apps/bad-app/src/outer/inner/one.ts': "import { two } from '../two.js';\nexport const one = two;",
  'apps/bad-app/src/outer/two.ts': 'export const two = 2;',
  'apps/good-app/src/low/two.ts': 'export const two = 2;',
  'apps/good-app/src/low/two.spec.ts': "import { one } from '../high/one.js';\nexport const test = one;",
  'apps/good-app/start.mjs': "await import('./dist/main.js');",
  'apps/bad-app/src/missing.ts': "import './nothing.js';",
  'libs/filters/src/upward.ts': "import { ports } from '@tradewind/cloud-ports';\nexport const a = ports;",
  'libs/shared-types/src/app.ts': "import { other } from '@tradewind/other-app';\nexport const a = other;",
  'node_modules/@google-cloud/storage/package.json':
    '{"name":"@google-cloud/storage","version":"1.0.0","main":"index.js"}',
  'node_modules/@google-cloud/storage/index.js': '',
  'node_modules/some-package/package.json': '{"name":"some-package","version":"1.0.0","main":"dist/index.js"}',
  'node_modules/some-package/dist/index.js': '',
};

describe('import boundaries', () => {
  let folder: string;
  let violations: string[];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-boundaries-'));
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    mkdirSync(join(folder, 'node_modules/@tradewind'), { recursive: true });
    for (const { name, folder: project } of projects) {
      symlinkSync(join(folder, project), join(folder, 'node_modules/@tradewind', name));
    }
    // dependency-cruiser looks at the process's folder: a process of its own.
    const script = `
      import { checkBoundaries } from ${JSON.stringify(join(root, 'tools/workspace/check-boundaries.mjs'))};
      console.log(JSON.stringify(await checkBoundaries(process.cwd(), ${JSON.stringify(projects)})));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    ({ violations } = JSON.parse(output) as { violations: string[] });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['an app imports another app', 'apps/bad-app/src/app.ts imports apps/other-app/src/index.ts: bad-app-imports'],
    [
      'the same by a relative path',
      'apps/bad-app/src/relative.ts imports apps/other-app/src/index.ts: bad-app-imports',
    ],
    ['shipped code imports testkit', 'apps/bad-app/src/testkit.ts imports libs/testkit/src/index.ts: bad-app-imports'],
    [
      'an import reaches inside a library',
      'apps/bad-app/src/inside.ts imports libs/filters/src/hidden.ts: filters-from-outside',
    ],
    [
      'a Google package outside cloud-ports',
      'apps/bad-app/src/google.ts imports node_modules/@google-cloud/storage/index.js: only-lib-cloud-ports',
    ],
    [
      'a package that is not declared',
      'apps/bad-app/src/undeclared.ts imports node_modules/some-package/dist/index.js: declared-dependencies',
    ],
    ['a dependency that nothing uses', 'apps/other-app/package.json declares @tradewind/filters: unused'],
    ['a cycle', 'apps/bad-app/src/cycle-one.ts imports apps/bad-app/src/cycle-two.ts: no-cycles'],
    ['a cycle of types', 'apps/bad-app/src/type-one.ts imports apps/bad-app/src/type-two.ts: no-cycles'],
    ['folders that import each other', 'apps/bad-app/src/up imports apps/bad-app/src/down: no-cycles-of-folders'],
    [
      'a folder imports the folder around it',
      'apps/bad-app/src/outer/inner/one.ts imports apps/bad-app/src/outer/two.ts: no-imports-from-around',
    ],
    ['a file that is not there', 'apps/bad-app/src/missing.ts imports ./nothing.js: resolvable'],
    [
      'filters imports a library above it',
      'libs/filters/src/upward.ts imports libs/cloud-ports/src/index.ts: filters-imports',
    ],
    [
      'shared-types imports an app',
      'libs/shared-types/src/app.ts imports apps/other-app/src/index.ts: shared-types-imports',
    ],
  ])('%s: refused', (_, violation) => {
    expect(violations).toContain(violation);
  });

  it('leave allowed imports alone', () => {
    const allowed = ['apps/good-app/', 'libs/filters/src/index.ts', 'libs/cloud-ports/'];
    expect(violations.filter((violation) => allowed.some((path) => violation.startsWith(path)))).toEqual([]);
  });
});
