// One way to get a Chromium for tests: a system one when there is one, else the one that comes with the packages.
// The heavy packages are imported on first use, so that tests without a browser do not pay for them.
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';

const systemBrowsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * Starts a headless Chromium; the caller closes it. `CHROMIUM_PATH` names another one.
 * The sandbox is off because root has none, and tests visit their own servers only.
 */
export async function launchBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const system = [process.env['CHROMIUM_PATH'], ...systemBrowsers].find((path) => path && existsSync(path));
  if (system) return chromium.launch({ executablePath: system, args: ['--no-sandbox'] });
  const { default: packaged } = await import('@sparticuz/chromium');
  const executablePath = await oneAtATime(() => packaged.executablePath());
  // Not the arguments that the package proposes: they switch web security off and put everything into one process.
  const args = ['--no-sandbox', '--disable-gpu'];
  try {
    return await chromium.launch({ executablePath, args });
  } catch (error) {
    // A bare machine lacks NSS and expat; the package carries them. Only then, since they would shadow the system's
    // own.
    if (!String(error).includes('error while loading shared libraries')) throw error;
    const libraries = await oneAtATime(unpackLibraries);
    return chromium.launch({ executablePath, args, env: { ...process.env, LD_LIBRARY_PATH: libraries } });
  }
}

async function unpackLibraries(): Promise<string> {
  const { inflate } = await import('@sparticuz/chromium');
  const packageDir = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..');
  return join(await inflate(join(packageDir, 'bin', 'al2023.tar.br')), 'lib');
}

/** Unpacking takes a second or two; meanwhile a half-written file looks finished to a test in another process. */
async function oneAtATime<T>(unpack: () => Promise<T>): Promise<T> {
  const lock = join(tmpdir(), 'tradewind-chromium.lock');
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const ageMs = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
      // Its owner was killed.
      if (ageMs > 60_000) rmSync(lock, { recursive: true, force: true });
      await sleep(100);
    }
  }
  try {
    return await unpack();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
