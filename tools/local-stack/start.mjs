// `npm start` and `npm run dev`. Help, wrong words and taken ports come before the build, so that they are known at
// once. The platform checks the ports again, also the case that needs the lock of the data folder: a platform that runs
// or was killed.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertPortsFree, serviceNames } from './src/ports.ts';
import { helpOf, startOptions } from './src/start-options.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function checkPorts() {
  const { DATA_DIR, DATABASE_URL, PORT_BASE } = process.env;
  const isLocked = existsSync(join(resolve(root, DATA_DIR || '.data'), 'platform.lock'));
  const portBase = Number(PORT_BASE || '4000');
  if (isLocked || !Number.isInteger(portBase) || portBase <= 0 || portBase >= 64_000) return;
  await assertPortsFree(portBase, { isDatabaseEmbedded: !DATABASE_URL });
}

/** @returns whether the platform is to be built and started */
async function isToStart(words) {
  const help = helpOf(words, serviceNames);
  if (help !== undefined) {
    console.log(help);
    return false;
  }
  try {
    startOptions(words, serviceNames);
    await checkPorts();
    return true;
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
    return false;
  }
}

if (await isToStart(process.argv.slice(2))) {
  // It sets the exit code when it fails.
  await import('../workspace/build.mjs');
  if (!process.exitCode) await import('./dist/main.js');
}
