// `npm run images [-- APP ...]`: builds the image of each app with docker, podman or buildah,
// after a scan for secrets of what they are built from.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { imageApps } from './dockerfiles.mjs';
import { scanContext } from './secrets/scan.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

function buildWithEngine(app, engineOptions) {
  const engine = ['docker', 'podman', 'buildah'].find(
    (name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0,
  );
  if (!engine) {
    throw new Error('No docker, podman or buildah answers on this machine.');
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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'engine-option': { type: 'string', multiple: true, default: [] },
  },
});
const unknown = positionals.filter((app) => !imageApps.includes(app));
if (unknown.length > 0) throw new Error(`No app with a Dockerfile: ${unknown.join(', ')}`);
// Whatever lies in a folder that is copied may reach an image, whether git knows it or not.
const { findings } = await scanContext();
if (findings.length > 0) throw new Error(`Secrets must not reach an image:\n${findings.join('\n')}`);
const chosen = positionals.length > 0 ? positionals : imageApps;
for (const app of chosen) buildWithEngine(app, values['engine-option']);
