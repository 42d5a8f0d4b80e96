// Who may import whom, by the tags in each project.json. The table is the rule; `npm run check` holds the code to it.
// A project's rights are those of all its tags together.

/** Tag of the importing project -> tags it may import. */
export const mayImport = {
  'kind:lib': [],
  'lib:shared-types': [],
  'lib:filters': ['lib:shared-types'],
  'lib:filter-engine': ['lib:filters'],
  'lib:service-kit': ['lib:shared-types', 'lib:filters'],
  'lib:cloud-ports': ['lib:shared-types', 'lib:filters'],
  'lib:scraping-provider': ['lib:shared-types', 'lib:filters'],
  'lib:testkit': ['lib:shared-types'],
  'lib:data-client': [],
  'kind:app': [
    'lib:shared-types',
    'lib:filters',
    'lib:filter-engine',
    'lib:service-kit',
    'lib:cloud-ports',
    'lib:scraping-provider',
  ],
  'kind:tool': ['kind:lib', 'kind:tool'],
  'kind:e2e': ['lib:testkit', 'kind:tool'],
  'kind:deploy': ['lib:testkit', 'kind:tool'],
};

/** What test files may import, too. */
const testsMayImport = ['lib:testkit', 'lib:data-client', 'kind:tool'];

/** Files that are tests, or serve them alone, generators, and how a service is built: never shipped. */
export const testFiles =
  '(\\.(spec|int-spec|e2e-spec|emulator-spec|bench)\\.[cm]?[jt]s$|/test/|/generate[\\w-]*\\.mjs$|/rolldown\\.config\\.mjs$)';

/** Development tools: what they need is installed with the repository's root. */
const neverShipped = '^tools/workspace/|^libs/testkit/';

/** It starts PostgreSQL without a build of this checkout, from a source file whose types Node strips. */
const reachesInside = '^tools/workspace/jest-postgres-start\\.mjs$';

/** What it imports has its own lock file, and is installed when a benchmark needs it. */
const installedLater = '^tools/bench/postgraphile/';

/** Packages that only some projects may import, by tag. */
const packagesOf = [
  {
    packages: '^(@google-cloud/|google-auth-library|google-gax)',
    tags: ['lib:cloud-ports'],
    why: 'Google packages appear in cloud-ports alone',
  },
  {
    packages: '^(apify-client|apify)',
    tags: ['lib:scraping-provider', 'kind:tool'],
    why: 'the run platform is reached through scraping-provider',
  },
  {
    packages: '^@nestjs/',
    tags: ['lib:service-kit', 'kind:app', 'kind:tool'],
    why: 'libraries below the service kit know no framework',
  },
];

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const anyOf = (folders) => `^(${folders.map(escape).join('|')})/`;

/**
 * Folders of a project import in one direction: a reader who goes from one to another never comes back. Tests are not
 * held to it, so it is for a cruise without them.
 *
 * A folder has the imports of its files and of all folders inside it, without those that stay inside. An imported file
 * counts for its own folder alone. So this rule does not compare a folder with one inside it; `no-imports-from-around`
 * does.
 */
export const folderRule = {
  name: 'no-cycles-of-folders',
  severity: 'error',
  scope: 'folder',
  from: {},
  to: { circular: true },
};

/**
 * @param {{name: string, folder: string, tags: string[]}[]} projects
 * @returns rules of dependency-cruiser
 */
export function boundaryRules(projects) {
  const foldersTagged = (tags) =>
    projects.filter((project) => project.tags.some((tag) => tags.includes(tag))).map(({ folder }) => folder);
  const rules = [
    {
      name: 'no-cycles',
      comment: 'Types included: what two files share is in a third one below them',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-imports-from-around',
      comment:
        'A folder around others imports them. What they share is in a folder beside them. Roots of source may be imported',
      severity: 'error',
      from: { path: '^((?:apps|libs|tools)/[^/]+/src/.+|e2e/.+)/[^/]+/[^/]+$', pathNot: testFiles },
      to: { path: '^$1/[^/]+$' },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: { pathNot: installedLater },
      // What a build makes is not there before it.
      to: { couldNotResolve: true, pathNot: '^\\./dist/' },
    },
    {
      name: 'declared-dependencies',
      comment: "An import must be declared in the importing project's own package.json: an image installs nothing else",
      severity: 'error',
      from: { pathNot: `${testFiles}|${neverShipped}` },
      // A type alone is gone once it is built.
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ];
  for (const { name, folder, tags } of projects) {
    const allowed = foldersTagged(tags.flatMap((tag) => mayImport[tag] ?? []));
    const inTests = [...allowed, ...foldersTagged(testsMayImport)];
    const from = `^${escape(folder)}/`;
    const others = anyOf(projects.filter((project) => project.folder !== folder).map((project) => project.folder));
    const rule = (suffix, extra, may) => ({
      name: `${name}-${suffix}`,
      comment: `${name} (${tags.join(', ')}) may import: ${may.join(', ') || 'no other project'}`,
      severity: 'error',
      from: { path: from, ...extra },
      to: { path: others, ...(may.length > 0 ? { pathNot: anyOf(may) } : {}) },
    });
    rules.push(
      rule('imports', { pathNot: testFiles }, allowed),
      rule('tests-import', { path: `${from}.*${testFiles}` }, inTests),
    );
    rules.push({
      name: `${name}-from-outside`,
      comment: `Of ${name} only its index.ts may be imported`,
      severity: 'error',
      from: {
        path: anyOf(projects.filter((project) => project.folder !== folder).map((project) => project.folder)),
        pathNot: reachesInside,
      },
      to: { path: from, pathNot: `${from}(src|dist)/index\\.[jt]s$|^tools/workspace/` },
    });
  }
  for (const { packages, tags, why } of packagesOf) {
    rules.push({
      name: `only-${tags.join('-').replace(/:/g, '-')}`,
      comment: why,
      severity: 'error',
      from: { pathNot: `${anyOf(foldersTagged(tags))}|${testFiles}` },
      to: { path: `node_modules/(${packages.replace(/^\^/, '')})` },
    });
  }
  return rules;
}
