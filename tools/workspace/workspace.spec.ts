// The rules of this repository that hold its projects together, checked on the repository itself.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { errorCodes, graphqlErrorCodes } from '@tradewind/shared-types';
import { mayImport } from './boundaries.mjs';
import { linksOf, pages } from './documents.mjs';
import { manifestOf, projectFolders, projects, root } from './projects.mjs';

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
const known = projects();
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifests = known.map((project) => ({ project, manifest: manifestOf(project) as Manifest }));
const own = (dependencies: Record<string, string> = {}) =>
  Object.keys(dependencies).filter((name) => name.startsWith('@tradewind/'));

describe('projects', () => {
  it('are all known to npm and to nx, and tagged with what the import rules know', () => {
    const folders = projectFolders
      .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }))
      .map((file) => dirname(file));
    expect(known.map(({ folder }) => folder).sort()).toEqual(folders.sort());
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    const installed = workspaces.flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }));
    expect(installed.map((file) => dirname(file)).sort()).toEqual(folders.sort());
    for (const { name, folder, tags } of known) {
      const kind = { apps: 'kind:app', libs: 'kind:lib', tools: 'kind:tool' }[folder.split('/')[0]!] ?? `kind:${name}`;
      expect({ name, tags }).toEqual({ name, tags: kind === 'kind:lib' ? [kind, `lib:${name}`] : [kind] });
      for (const tag of tags) expect(Object.keys(mayImport)).toContain(tag);
    }
  });

  it('have no import rule that allows everything, or an app', () => {
    const everyTag = new Set(known.flatMap(({ tags }) => tags));
    for (const [tag, allowed] of Object.entries<string[]>(mayImport)) {
      const reached = known.filter(({ tags }) => tags.some((each) => allowed.includes(each)));
      expect({ tag, all: reached.length === known.length }).toEqual({ tag, all: false });
      expect(allowed).not.toContain('kind:app');
      for (const each of allowed) expect(everyTag).toContain(each);
    }
    expect(mayImport['lib:shared-types']).toEqual([]);
    expect(mayImport['lib:filters']).toEqual(['lib:shared-types']);
  });

  it.each(manifests)('$manifest.name has the TypeScript references of its dependencies', ({ project, manifest }) => {
    const { references = [] } = JSON.parse(read(`${project.folder}/tsconfig.json`)) as {
      references?: { path: string }[];
    };
    const referenced = references.map(({ path }) => resolve(root, project.folder, path));
    const depended = [...own(manifest.dependencies), ...own(manifest.devDependencies)].map((name) => {
      const dependency = manifests.find((each) => each.manifest.name === name);
      return dependency ? join(root, dependency.project.folder) : `nowhere: ${name}`;
    });
    expect(referenced.sort()).toEqual(depended.sort());
  });

  it('agree on the version of each package', () => {
    const versions = new Map<string, Set<string>>();
    const rootManifest = { project: { folder: '.' }, manifest: JSON.parse(read('package.json')) as Manifest };
    for (const { manifest } of [...manifests, rootManifest]) {
      for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
        versions.set(name, (versions.get(name) ?? new Set()).add(version));
      }
    }
    const several = [...versions].filter(([, found]) => found.size > 1).map(([name, found]) => [name, ...found]);
    expect(several).toEqual([]);
    const loose = [...versions].filter(([, found]) => [...found].some((version) => !/^(npm:.+@)?\d/.test(version)));
    expect(loose.map(([name]) => name)).toEqual([]);
  });
});

describe('documents', () => {
  it.each(known.filter(({ folder }) => /^(apps|libs)\//.test(folder)))('$name has a README', ({ folder }) => {
    expect(existsSync(join(root, folder, 'README.md'))).toBe(true);
  });

  it.each(known.filter(({ tags }) => tags.includes('kind:app')))(
    'the README of $name says where things are decided',
    ({ folder }) => {
      const [, table = ''] = read(`${folder}/README.md`).split(/^#+ Decided here$/m);
      const links = linksOf(table.split(/^#+ /m)[0]!);
      expect(links.length).toBeGreaterThan(2);
    },
  );

  it('are all in the index: docs/README.md, or that of the decisions', () => {
    const linked = ['docs', 'docs/decisions'].flatMap((folder) =>
      linksOf(read(`${folder}/README.md`)).map((link) => join(folder, link.split('#')[0]!)),
    );
    const unlisted = pages.filter(
      (page) => page.startsWith('docs/') && page !== 'docs/README.md' && !linked.includes(page),
    );
    expect(unlisted).toEqual([]);
  });

  describe('decisions', () => {
    const files = globSync('docs/decisions/*.md', { cwd: root })
      .filter((file) => !file.endsWith('/README.md'))
      .sort();

    it('are fewer than 30, have numbers of their own, and begin with them', () => {
      const numbers = files.map((file) => /^docs\/decisions\/(\d{4})-/.exec(file)?.[1]);
      expect(numbers).toEqual(files.map((file) => /^# (\d{4}) /.exec(read(file))?.[1]));
      expect(new Set(numbers).size).toBe(files.length);
      expect(files.length).toBeGreaterThan(0);
      expect(files.length).toBeLessThan(30);
    });

    it.each(files)('%s is short, and has context, decision and consequence', (file) => {
      const text = read(file);
      expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(250);
      expect(text.split('\n').filter((line) => line.length > 120)).toEqual([]);
      expect([...text.matchAll(/^(Context|Decision|Consequence): /gm)].map(([, part]) => part)).toEqual([
        'Context',
        'Decision',
        'Consequence',
      ]);
    });

    it('are listed in the index, each with its number and title', () => {
      const listed = [...read('docs/decisions/README.md').matchAll(/^\| (\d{4}) +\| \[(.+?)\]\((.+?)\) +\| \S/gm)];
      expect(listed.map(([, number, title, file]) => [`docs/decisions/${file}`, `# ${number} ${title}`])).toEqual(
        files.map((file) => [file, read(file).split('\n')[0]]),
      );
    });
  });

  it('the page of error codes has exactly the codes there are', () => {
    const listed = [...read('docs/errors.md').matchAll(/^\| `([^`]+)`/gm)].map(([, code]) => code);
    expect(listed).toEqual([...Object.keys(errorCodes), ...Object.keys(graphqlErrorCodes)]);
  });
});
