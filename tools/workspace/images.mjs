// `npm run images [-- APP ...]`: builds the image of each app with docker, podman or buildah.
// `npm run images -- --without-engine [APP ...]`: performs the steps of the Dockerfiles in a clean folder on this very
// machine instead, and measures what comes out: the payload in MB, and how long a start takes until it is healthy.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { apps, nodeVersion } from './dockerfiles.mjs';
import { sizeMb, StageBuilder } from './image-stages.mjs';
import { withStarts } from './image-starts.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

function buildWithEngine(app, engineOptions) {
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
  const words = ['build', '-f', `apps/${app}/Dockerfile`, '-t', `tradewind/${app}:${version}`];
  words.push('--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${git('rev-parse', 'HEAD')}`);
  // Podman and buildah leave health checks out of images of their own format.
  if (engine !== 'docker') words.push('--format', 'docker', '--layers');
  const result = spawnSync(engine, [...words, ...engineOptions, '.'], {
    cwd: root,
    stdio: 'inherit',
    // The time of the commit, so that the same commit gives the same layers.
    env: { ...process.env, SOURCE_DATE_EPOCH: git('log', '-1', '--format=%ct') },
  });
  if (result.status !== 0) throw new Error(`${engine} could not build ${app}`);
}

async function buildWithoutEngine(chosen, starts) {
  if (process.versions.node !== nodeVersion) {
    throw new Error(
      `The images have Node ${nodeVersion}, this is ${process.versions.node}: run it as "npm run images".`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-images-'));
  try {
    const builder = new StageBuilder(folder, (line) => console.log(`  ${line}`));
    const programs = chosen.map((app) => {
      console.log(app);
      return { app, ...builder.build(app) };
    });
    const rows = await withStarts(async ({ migrate, operate, assertWorks, startMs }) => {
      const measured = [];
      for (const program of programs) {
        await migrate(program);
        await operate(program);
        await assertWorks(program);
        const times = [];
        for (let start = 0; start < starts; start += 1) times.push(await startMs(program));
        times.sort((a, b) => a - b);
        const seconds = (ms) => (ms / 1000).toFixed(2);
        measured.push({
          app: program.app,
          'payload, MB': sizeMb(program.folder).toFixed(0),
          'of it compile cache, MB': sizeMb(program.environment.NODE_COMPILE_CACHE).toFixed(0),
          'start to healthy, s (median)': seconds(times[Math.floor(times.length / 2)]),
          fastest: seconds(times[0]),
          slowest: seconds(times.at(-1)),
        });
      }
      return measured;
    });
    console.table(rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'without-engine': { type: 'boolean', default: false },
    starts: { type: 'string', default: '5' },
    'engine-option': { type: 'string', multiple: true, default: [] },
  },
});
const unknown = positionals.filter((app) => !apps.includes(app) || !existsSync(join(root, 'apps', app, 'Dockerfile')));
if (unknown.length > 0) throw new Error(`No app with a Dockerfile: ${unknown.join(', ')}`);
const chosen = positionals.length > 0 ? positionals : apps;
if (values['without-engine']) await buildWithoutEngine(chosen, Number(values.starts));
else for (const app of chosen) buildWithEngine(app, values['engine-option']);
