// Runs before the build of `npm start` and `npm run dev`, so that a taken port is known at once. The
// platform checks again, also the case that needs the lock of the data folder: a platform that runs or was killed.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertPortsFree } from './src/ports.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { DATA_DIR, DATABASE_URL, PORT_BASE } = process.env;
const isLocked = existsSync(join(resolve(root, DATA_DIR || '.data'), 'platform.lock'));
const portBase = Number(PORT_BASE || '4000');

if (!isLocked && Number.isInteger(portBase) && portBase > 0 && portBase < 64_000) {
  try {
    await assertPortsFree(portBase, { isDatabaseEmbedded: !DATABASE_URL });
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
