// `npm run images [-- APP ...]`: builds the image of each app with docker, podman or buildah.
// `npm run images -- --without-engine [APP ...]`: performs the steps of the Dockerfiles in a clean folder on this very
// machine instead, and measures what comes out (payload in MB). What it cannot show: the base images and the isolation.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { apps } from './dockerfiles.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Steps of a Dockerfile of ours: instruction and its words, continuation lines joined, comments gone. */
export function steps(text) {
  return text
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, instruction, rest] = /^(\w+)\s+(.*)$/.exec(line);
      return { instruction, rest, words: rest.split(/\s+/) };
    });
}

/**
 * Performs the stages up to the one that holds the program, `runtime`. Each stage is a folder; COPY and RUN do there what
 * they say. Returns the folder that becomes /app in the image. Throws on an instruction it does not know.
 */
export function performStages(app, workFolder, log = () => {}) {
  const folders = new Map();
  const environment = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    npm_config_cache: process.env.npm_config_cache,
  };
  for (const key of Object.keys(environment)) if (environment[key] === undefined) delete environment[key];
  // npm settings of this machine, such as a registry, stay in force; those of the calling npm script do not.
  let stage;
  let workdir = '/';
  const inStage = (path) => join(stage, normalize(path.startsWith('/') ? path : join(workdir, path)));
  for (const { instruction, rest, words } of steps(readFileSync(join(root, 'apps', app, 'Dockerfile'), 'utf8'))) {
    switch (instruction) {
      case 'FROM': {
        const [base, , name] = words;
        if (name === undefined) return join(folders.get('runtime'), workdir);
        stage = join(workFolder, name);
        mkdirSync(stage, { recursive: true });
        if (folders.has(base)) cpSync(folders.get(base), stage, { recursive: true, verbatimSymlinks: true });
        else workdir = '/';
        folders.set(name, stage);
        break;
      }
      case 'WORKDIR':
        workdir = rest;
        mkdirSync(join(stage, workdir), { recursive: true });
        break;
      case 'ENV': {
        const [name, value] = rest.split('=');
        environment[name] = value.startsWith('/') ? join(stage, value) : value;
        break;
      }
      case 'COPY': {
        const from = words[0].startsWith('--from=') ? folders.get(words.shift().slice('--from='.length)) : root;
        const target = words.pop();
        for (const source of words) {
          const path = join(from, source);
          const into = target.endsWith('/') && !statSync(path).isDirectory() ? join(target, basename(source)) : target;
          cpSync(path, inStage(into), { recursive: true, verbatimSymlinks: true, filter: (file) => !isIgnored(file) });
        }
        break;
      }
      case 'RUN':
        log(`  ${rest}`);
        execFileSync('sh', ['-c', rest], {
          cwd: join(stage, workdir),
          env: environment,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        break;
      default:
        throw new Error(`The Dockerfile of ${app} has an instruction that is not performed here: ${instruction}`);
    }
  }
  throw new Error(`The Dockerfile of ${app} has no final stage.`);
}

/** What .dockerignore keeps out of the context and could be in the checkout. */
function isIgnored(file) {
  return file.startsWith(root) && /\/(node_modules|dist|out-tsc|test)$|\.(spec|int-spec|e2e-spec)\.ts$/.test(file);
}

/** Size of a folder on disk in MB (10^6 bytes), symbolic links not followed. */
export function sizeMb(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes / 1e6;
}

function buildWithEngine(app) {
  const engine = ['docker', 'podman', 'buildah'].find(
    (name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0,
  );
  if (!engine) {
    throw new Error(
      'No docker, podman or buildah answers on this machine. `npm run images -- --without-engine` performs the build steps without one.',
    );
  }
  const git = (...words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const revision = git('rev-parse', 'HEAD');
  const result = spawnSync(
    engine,
    [
      'build',
      '-f',
      `apps/${app}/Dockerfile`,
      '-t',
      `tradewind/${app}:${version}`,
      '--build-arg',
      `VERSION=${version}`,
      '--build-arg',
      `REVISION=${revision}`,
      '.',
    ],
    // The time of the commit, so that the same commit gives the same layers.
    { cwd: root, stdio: 'inherit', env: { ...process.env, SOURCE_DATE_EPOCH: git('log', '-1', '--format=%ct') } },
  );
  if (result.status !== 0) throw new Error(`${engine} could not build ${app}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'without-engine': { type: 'boolean', default: false } },
  });
  const unknown = positionals.filter(
    (app) => !apps.includes(app) || !existsSync(join(root, 'apps', app, 'Dockerfile')),
  );
  if (unknown.length > 0) throw new Error(`No app with a Dockerfile: ${unknown.join(', ')}`);
  for (const app of positionals.length > 0 ? positionals : apps) {
    if (values['without-engine']) {
      const folder = mkdtempSync(join(tmpdir(), `tradewind-image-${app}-`));
      try {
        console.log(app);
        const program = performStages(app, folder, (line) => console.log(line));
        console.log(`  payload ${sizeMb(program).toFixed(0)} MB`);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    } else buildWithEngine(app);
  }
}
