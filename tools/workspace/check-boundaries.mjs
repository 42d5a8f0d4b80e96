// Holds the imports of the whole repository to boundaries.mjs, with dependency-cruiser.
import { cruise } from 'dependency-cruiser';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boundaryRules, folderRule, testFiles } from './boundaries.mjs';
import { projects, root } from './projects.mjs';

const builtFiles = '(^|/)(dist|out-tsc|coverage)/';

/** @returns {Promise<{violations: string[], modules: number}>} broken rules, each as a sentence */
export async function checkBoundaries(folder = root, known = projects()) {
  const folders = known.map((project) => project.folder).filter((path) => existsSync(join(folder, path)));
  const imports = await broken(folder, folders, boundaryRules(known), builtFiles);
  const cycles = await broken(folder, folders, [folderRule], `${builtFiles}|${testFiles}`);
  return { ...imports, violations: [...imports.violations, ...cycles.violations] };
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
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
      extensionAlias: { '.js': ['.ts', '.js'] },
    },
  );
  const { summary, modules } = typeof output === 'string' ? JSON.parse(output) : output;
  return {
    violations: summary.violations.map(({ from, to, rule }) => `${from} imports ${to}: ${rule.name}`),
    modules: modules.length,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { violations, modules } = await checkBoundaries();
  for (const violation of violations) console.error(violation);
  console.log(`${modules} modules, ${violations.length} forbidden imports`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}
