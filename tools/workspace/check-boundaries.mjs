// Holds the imports of the whole repository to boundaries.mjs, with dependency-cruiser, and each manifest to what is
// imported.
import { cruise } from 'dependency-cruiser';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boundaryRules, folderRule, testFiles } from './boundaries.mjs';
import { projects, root } from './projects.mjs';
import { namesIn, packageOf, unusedPackages } from './unused-packages.mjs';

/** Ours alone: the code of most packages is in a folder `dist`, too. */
const builtFiles = '^((apps|libs|tools)/[^/]+|e2e|deploy)/(dist|out-tsc|coverage)/';

/** @returns {Promise<{violations: string[], modules: number}>} a sentence for each broken rule, and how many modules */
export async function checkBoundaries(folder = root, known = projects()) {
  const folders = known.map((project) => project.folder).filter((path) => existsSync(join(folder, path)));
  const imports = await broken(folder, folders, boundaryRules(known), builtFiles);
  const cycles = await broken(folder, folders, [folderRule], `${builtFiles}|${testFiles}`);
  const unused = unusedOf(folder, folders, imports.modules);
  return { modules: imports.modules.length, violations: [...imports.violations, ...cycles.violations, ...unused] };
}

/** A sentence for each package that a manifest declares and nothing uses. */
function unusedOf(folder, folders, modules) {
  const read = (path) => readFileSync(join(folder, path), 'utf8');
  const exists = (path) => existsSync(join(folder, path));
  const { packages: locked = {} } = exists('package-lock.json') ? JSON.parse(read('package-lock.json')) : {};
  const sentences = (manifest, used) =>
    unusedPackages(JSON.parse(read(manifest)), locked, used).map((name) => `${manifest} declares ${name}: unused`);
  const ofProjects = folders
    .filter((project) => exists(join(project, 'package.json')))
    .flatMap((project) => {
      const own = modules.filter(({ source }) => source.startsWith(`${project}/`));
      const used = own.flatMap(({ dependencies }) => dependencies.map(({ module }) => packageOf(module)));
      return sentences(join(project, 'package.json'), new Set(used));
    });
  if (!exists('package.json')) return ofProjects;
  const files = execFileSync(
    'git',
    [
      'ls-files',
      '--cached',
      '--others',
      '--exclude-standard',
      '*.ts',
      '*.tsx',
      '*.js',
      '*.mjs',
      '*.cjs',
      '*.json',
      '.ci/run',
    ],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  const texts = files
    .split('\n')
    .filter((file) => exists(file) && !/^$|(?:^|\/)package(?:-lock)?\.json$/.test(file))
    .map(read);
  const scripts = Object.values(JSON.parse(read('package.json')).scripts ?? {});
  return [...ofProjects, ...sentences('package.json', new Set([...texts, ...scripts].flatMap(namesIn)))];
}

async function broken(baseDir, folders, forbidden, excluded) {
  const { output } = await cruise(
    folders,
    {
      baseDir,
      validate: true,
      ruleSet: { forbidden },
      // Of packages only that they are imported matters, not what they import.
      doNotFollow: { path: 'node_modules' },
      exclude: { path: excluded },
      tsPreCompilationDeps: true,
      combinedDependencies: false,
      moduleSystems: ['es6', 'cjs'],
      outputType: 'json',
    },
    {
      conditionNames: ['@tradewind/source', 'import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
      extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
    },
  );
  const { summary, modules } = typeof output === 'string' ? JSON.parse(output) : output;
  return {
    violations: summary.violations.map(({ from, to, rule }) => `${from} imports ${to}: ${rule.name}`),
    modules,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { violations, modules } = await checkBoundaries();
  for (const violation of violations) console.error(violation);
  console.log(`${modules} modules, ${violations.length} forbidden imports and unused packages`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}
