// Performs the build of a Dockerfile of ours without a container engine: each stage is a folder, and COPY, ENV and RUN do
// there what they say, on this very machine. What it cannot show: the base images, the user and the isolation.
import { execFileSync } from 'node:child_process';
import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { basename, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Steps of a Dockerfile: instruction, its text without flags, its words and its flags; continuation lines joined, comments gone.
 * @returns {{instruction: string, rest: string, words: string[], flags: Record<string, string>}[]}
 */
export function steps(text) {
  return text
    .replace(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, instruction, flagText, rest] = /^(\w+)\s+((?:--\S+\s+)*)(.*)$/.exec(line);
      const flags = Object.fromEntries(
        [...flagText.matchAll(/--(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
      );
      return { instruction, rest, words: rest.split(/\s+/), flags };
    });
}

/**
 * Stages of a Dockerfile, in order, each with its key: what it does from its first base on. Stages of two Dockerfiles with
 * one key are the same; an engine builds them once.
 * @returns {{name?: string, base: string, key: string, steps: ReturnType<typeof steps>}[]}
 */
export function stages(text) {
  const found = [];
  for (const step of steps(text)) {
    if (step.instruction === 'FROM') {
      const [base, , name] = step.words;
      const keyOfBase = found.find((stage) => stage.name === base)?.key ?? base;
      found.push({ name, base, key: keyOfBase, steps: [] });
    } else {
      const stage = found.at(-1);
      const from = found.find(({ name }) => name === step.flags.from)?.key ?? '';
      stage.steps.push(step);
      stage.key += `\n${step.instruction} ${from} ${step.rest}`;
    }
  }
  return found;
}

/**
 * Builds programs stage by stage in a work folder. Programs share the stages they have in common, as images share layers.
 * @param {string} workFolder empty folder; the caller removes it
 * @param {(line: string) => void} log hears of each command with its seconds
 */
export class StageBuilder {
  #done = new Map();

  constructor(workFolder, log = () => {}) {
    this.workFolder = workFolder;
    this.log = log;
  }

  /**
   * @returns {{folder: string, command: string[], environment: Record<string, string>}} the folder that becomes /app in the
   * image, the words of its ENTRYPOINT and what ENV says there. Throws on an instruction it does not know.
   */
  build(app) {
    const all = stages(readFileSync(join(root, 'apps', app, 'Dockerfile'), 'utf8'));
    const last = all.pop();
    for (const stage of all) this.#done.get(stage.key) ?? this.#perform(stage, all);
    const { folder, workdir, environment } = this.#done.get(all.find(({ name }) => name === 'runtime').key);
    const entrypoint = last.steps.find(({ instruction }) => instruction === 'ENTRYPOINT');
    return { folder: join(folder, workdir), command: JSON.parse(entrypoint.rest), environment };
  }

  #perform(stage, all) {
    const base = this.#done.get(all.find(({ name }) => name === stage.base)?.key);
    const folder = join(this.workFolder, `${this.#done.size}-${stage.name}`);
    const state = { folder, workdir: base?.workdir ?? '/', environment: { ...base?.environment } };
    mkdirSync(folder);
    if (base) linkFolder(base.folder, folder);
    for (const step of stage.steps) this.#step(state, step, all);
    this.#done.set(stage.key, state);
  }

  #step(state, { instruction, rest, words, flags }, all) {
    const inStage = (path) => join(state.folder, normalize(path.startsWith('/') ? path : join(state.workdir, path)));
    switch (instruction) {
      case 'WORKDIR':
        state.workdir = rest;
        mkdirSync(inStage(rest), { recursive: true });
        return;
      case 'ENV': {
        const [name, value] = rest.split('=');
        state.environment[name] = value.startsWith('/') ? inStage(value) : value;
        return;
      }
      case 'USER':
        // Stays who runs this; the program is started by the same user later.
        return;
      case 'COPY': {
        const from = flags.from ? this.#done.get(all.find(({ name }) => name === flags.from).key).folder : root;
        const target = words.at(-1);
        for (const source of words.slice(0, -1)) {
          const path = join(from, source);
          const into = target.endsWith('/') && !statSync(path).isDirectory() ? join(target, basename(source)) : target;
          cpSync(path, inStage(into), { recursive: true, verbatimSymlinks: true, filter: (file) => !isIgnored(file) });
        }
        return;
      }
      case 'RUN': {
        const startedAt = performance.now();
        // Of this machine's environment only what finds programs and the caches and settings of npm.
        const { PATH, HOME, npm_config_cache: cache } = process.env;
        const env = { PATH, HOME, ...(cache && { npm_config_cache: cache }), ...state.environment };
        execFileSync('sh', ['-c', rest], { cwd: inStage('.'), env, stdio: ['ignore', 'ignore', 'inherit'] });
        this.log(`${((performance.now() - startedAt) / 1000).toFixed(1)} s  ${rest}`);
        return;
      }
      default:
        throw new Error(`A Dockerfile has an instruction that is not performed here: ${instruction}`);
    }
  }
}

/** The content of a folder in another one without copying files: no step of ours writes into a file that is there. */
function linkFolder(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      mkdirSync(target);
      linkFolder(source, target);
    } else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkSync(source, target);
  }
}

/** What .dockerignore keeps out of the context and could be in the checkout. */
function isIgnored(file) {
  return (
    file.startsWith(root) && /\/(node_modules|dist|bundle|out-tsc|test)$|\.(spec|int-spec|e2e-spec)\.ts$/.test(file)
  );
}

/** Bytes of all files of a folder in MB (10^6 bytes), symbolic links not followed. */
export function sizeMb(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes / 1e6;
}
