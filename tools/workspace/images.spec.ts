import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { apps, dockerfile, imageApps, nodeOptions } from './dockerfiles.mjs';
import { isUnused, prune } from './prune-packages.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the Dockerfiles', () => {
  const stage = (app: string, name: string) =>
    dockerfile(app)
      .split(/^(?=FROM )/m)
      .find((text) => text.split('\n')[0]!.endsWith(` AS ${name}`))!;

  it('share one build', () => {
    expect(new Set(apps.map((app) => stage(app, 'build'))).size).toBe(1);
  });

  it('are those of the services and of the console, whose builds share these layers', () => {
    expect(imageApps).toEqual([...apps, 'console'].sort());
    const instructions = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const console = readFileSync(join(root, 'apps/console/Dockerfile'), 'utf8');
    const upToBuild = console.slice(0, console.indexOf('FROM base AS packages'));
    const shared = dockerfile('identity');
    expect(instructions(upToBuild)).toEqual(instructions(shared.slice(0, shared.indexOf('FROM base AS packages'))));
  });

  it('install every program that a build calls', () => {
    const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, object>;
    const ofRoot = Object.keys(json('package.json')['devDependencies']!);
    const called = imageApps.flatMap((app) => {
      const { build } = json(`apps/${app}/project.json`)['targets'] as { build?: { options?: { command: string } } };
      const programs = (build?.options?.command ?? '').split('&&').flatMap((command) => command.trim().split(' ', 1));
      return programs.filter((program) => program !== '').map((program) => ({ app, program }));
    });
    expect(called).toContainEqual({ app: 'console', program: 'vite' });
    const packages: Record<string, string> = { swc: '@swc/cli', vite: 'vite', rolldown: 'rolldown' };
    for (const { app, program } of called.filter((one) => !ofRoot.includes(packages[one.program]!))) {
      expect(Object.keys(json(`apps/${app}/package.json`)['devDependencies'] ?? {})).toContain(packages[program]);
    }
  });

  // npm leaves out the packages of a project whose package.json is not there.
  it.each(globSync('{apps,libs}/*/package.json', { cwd: root }))(
    'install before a build the packages of %s',
    (path) => {
      const beforeInstall = stage('identity', 'build').split('npm ci')[0];
      expect(beforeInstall).toContain(`COPY ${path} ${dirname(path)}/\n`);
    },
  );

  it.each(apps)('put the licence and the notices into the image of %s', (app) => {
    expect(stage(app, 'runtime')).toMatch(/^COPY LICENSE NOTICE \.\/$/m);
    expect(dockerfile(app)).toContain('COPY --from=runtime /app /app');
    expect(readFileSync(join(root, `apps/${app}/Dockerfile`), 'utf8')).toBe(dockerfile(app));
  });

  it.each(apps)('fill the compile cache of %s as its user and with its options', (app) => {
    const [, asUser] = stage(app, 'runtime').split('USER 65532:65532\n');
    expect(asUser).toContain(`RUN ${['node', ...(nodeOptions(app) as string[]), 'main.js'].join(' ')} --help`);
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

  it('prunes packages within packages, and keeps what links point to', () => {
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

  it('and the build of services are the only parts of tools/ that a build copies', () => {
    const copied = apps.flatMap((app) => [...dockerfile(app).matchAll(/^COPY (tools\/\S+)/gm)].map(([, path]) => path));
    expect(new Set(copied)).toEqual(
      new Set(['tools/workspace/service-build.mjs', 'tools/workspace/prune-packages.mjs']),
    );
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8');
    for (const path of copied) expect(ignored).toContain(`\n!${path}\n`);
  });
});
