// `npm test`: the tests of every project, through Nx, on one PostgreSQL. The last line is `N passed, N failed`.
// Names of projects narrow the run, further words go to Jest: `npm test -- identity tokens`.
// `npm test -- --affected --base main` runs the projects that a change since `main` can affect.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import startPostgres from './jest-postgres-start.mjs';
import stopPostgres from './jest-postgres-stop.mjs';
import { summaryFile } from './jest-reporter.mjs';
import { projects, root } from './projects.mjs';
import { makeScratchFolder } from './scratch-folder.mjs';

/** Tests start services about two hundred times. Node keeps here what it compiles, also from one run to the next. */
const compileCache = join(root, 'node_modules/.cache/compiled');

/**
 * `test-chaos` and `test-console` of e2e take minutes and mostly wait, so they run beside the others. Chaos has the
 * highest priority, because it measures how soon services recover. Identity takes longest and has the next (nx.json,
 * project.json).
 */
const targets = ['test', 'test-console', 'test-chaos'];

/** Beside them where OpenSearch is: it compares 150,000 cases, which takes half a minute beside other tests. */
const sampleOfOpenSearch = 'test-opensearch-sample';

/** Two cores are busy with six at a time, since tests wait for services, databases and a browser. */
const parallel = '6';

/** @returns the words for Nx */
export function nxWords(words, projectNames, hasOpenSearch) {
  const base = words.indexOf('--base');
  const affected = words.includes('--affected');
  const forNx = base === -1 ? [] : words.slice(base, base + 2);
  const rest = words.filter(
    (word, index) => word !== '--affected' && !(base !== -1 && [base, base + 1].includes(index)),
  );
  const selected = rest.filter((word) => projectNames.includes(word));
  const forJest = rest.filter((word) => !selected.includes(word));
  return [
    ...(affected ? ['affected', ...forNx] : ['run-many']),
    // Nx begins with what others depend on. The longest tests have a target that depends on them and does nothing:
    // they would come last, beside an idle core.
    ...[
      '-t',
      ...targets,
      ...(hasOpenSearch ? [sampleOfOpenSearch] : []),
      'tested',
      '--parallel',
      parallel,
      '--outputStyle',
      'stream-without-prefixes',
    ],
    ...(selected.length > 0 ? ['-p', selected.join(',')] : []),
    // A pattern may match nothing in most projects.
    ...(forJest.length > 0 ? ['--', '--passWithNoTests', ...forJest] : []),
  ];
}

/**
 * The numbers of the last line. A run that failed for another reason than a test counts as one failure, and so does a
 * run without any test.
 * @param {{passed: number, failed: number}[]} summaries
 */
export function totals(summaries, hasSucceeded) {
  const passed = summaries.reduce((sum, summary) => sum + summary.passed, 0);
  const failed = summaries.reduce((sum, summary) => sum + summary.failed, 0);
  const isFailureElsewhere = failed === 0 && (!hasSucceeded || passed === 0);
  return { passed, failed: failed + Number(isFailureElsewhere) };
}

/** Of a failure, again at the end, where a reader of a long output looks first. */
const linesMax = 60;

/**
 * What needs a program that not every machine has. It is a command of its own, and named so that nobody misses it.
 * @param {boolean} hasOpenSearch
 */
export function notRun(hasOpenSearch) {
  return hasOpenSearch
    ? 'not run: all tests on a real OpenSearch but a sample (npm run test:opensearch)'
    : 'not run: the tests on a real OpenSearch (npm run test:opensearch, which needs Java 17 and Maven)';
}

/** @param {number} ms since the start, such as 425_000 for `7 min 5 s` */
export function took(ms) {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Whether `npm run test:opensearch` has installed it, and Java is as it needs it (libs/testkit). */
function findOpenSearch() {
  const source = readFileSync(join(root, 'libs/testkit/src/embedded-opensearch.ts'), 'utf8');
  const version = /^const version = '(.+)';$/m.exec(source)[1];
  const { stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const java = Number(/version "(\d+)/.exec(stderr ?? '')?.[1]);
  return java >= 17 && java < 24 && existsSync(`/var/tmp/tradewind-opensearch-${version}`);
}

async function main() {
  const all = projects();
  const hasOpenSearch = findOpenSearch();
  const summaryPaths = all.flatMap(({ folder }) =>
    [...targets, sampleOfOpenSearch].map((target) => join(root, folder, summaryFile(target))),
  );
  for (const path of summaryPaths) rmSync(path, { force: true });
  const scratch = makeScratchFolder();
  // Node and all programs that tests start make their files there.
  if (scratch !== undefined) process.env.TMPDIR = scratch;
  // The runs of the projects find it and start none of their own.
  await startPostgres();
  const words = nxWords(
    process.argv.slice(2),
    all.map(({ name }) => name),
    hasOpenSearch,
  );
  const nx = spawn(process.execPath, [join(root, 'node_modules/nx/dist/bin/nx.js'), ...words], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => nx.kill(signal));
  const code = await new Promise((resolve) => nx.once('close', resolve));
  await stopPostgres();
  const summaries = summaryPaths
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')));
  const failures = summaries.flatMap((summary) => summary.failures);
  for (const { name, message } of failures) {
    console.log(`failed: ${name}\n${message.split('\n').slice(0, linesMax).join('\n')}`);
  }
  if (scratch !== undefined) {
    // A message may name a file, such as a log.
    if (failures.length > 0) console.log(`The files of this run stay in ${scratch} until the next run.`);
    else rmSync(scratch, { recursive: true, force: true });
  }
  const { passed, failed } = totals(summaries, code === 0);
  console.log(notRun(hasOpenSearch));
  console.log(`took ${took(performance.now())}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
