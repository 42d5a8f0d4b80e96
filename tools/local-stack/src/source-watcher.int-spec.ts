import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SourceWatcher, stampOf } from './source-watcher.js';

let rootDir: string;
let dataDir: string;
let watcher: SourceWatcher;
let reported: string[];
let program: ChildProcess | undefined;

beforeEach(async () => {
  rootDir = mkdtempSync(join(tmpdir(), 'tradewind-watched-'));
  dataDir = join(rootDir, '.data');
  const folders = { 'apps/identity': { '@tradewind/kit': '1.0.0' }, 'apps/coordinator': {}, 'libs/kit': {} };
  for (const [folder, dependencies] of Object.entries(folders)) {
    mkdirSync(join(rootDir, folder, 'src/inner'), { recursive: true });
    writeFileSync(join(rootDir, folder, 'package.json'), JSON.stringify({ dependencies }));
    writeFileSync(join(rootDir, folder, 'src/inner/a.ts'), '1');
  }
  reported = [];
  watcher = await SourceWatcher.start({
    ...{ rootDir, dataDir, names: ['identity', 'coordinator'] },
    report: (line) => reported.push(line),
  });
});
afterEach(async () => {
  program?.kill();
  await watcher.stop();
  rmSync(rootDir, { recursive: true, force: true });
});

const stamps = () => (['identity', 'coordinator'] as const).map((name) => readFileSync(stampOf(dataDir, name), 'utf8'));

/** Which of identity and coordinator have a new stamp after this. */
async function stampedBy(change: () => void): Promise<boolean[]> {
  // A stamp has milliseconds.
  await delay(2);
  const before = stamps();
  change();
  for (let waitedMs = 0; waitedMs < 10_000 && stamps().join() === before.join(); waitedMs += 20) await delay(20);
  // Further events of the same change.
  await delay(100);
  return stamps().map((stamp, place) => stamp !== before[place]);
}

const write = (path: string) => writeFileSync(join(rootDir, path), String(Math.random()));
const replace = (path: string) => {
  write('new');
  renameSync(join(rootDir, 'new'), join(rootDir, path));
};

it('stamps the services whose source changes, also after a file was replaced', async () => {
  const own = 'apps/identity/src/inner/a.ts';
  for (const change of [write, replace, write, replace, replace, write]) {
    expect(await stampedBy(() => change(own))).toEqual([true, false]);
  }
  expect(await stampedBy(() => replace('apps/coordinator/src/inner/a.ts'))).toEqual([false, true]);
  expect(await stampedBy(() => replace('libs/kit/src/inner/a.ts'))).toEqual([true, false]);
  mkdirSync(join(rootDir, 'libs/kit/src/later'));
  expect(await stampedBy(() => write('libs/kit/src/later/b.ts'))).toEqual([true, false]);
  expect(await stampedBy(() => rmSync(join(rootDir, 'libs/kit/src/later/b.ts')))).toEqual([true, false]);
});

it('says that a stamp could not be written, and goes on', async () => {
  rmSync(join(dataDir, 'reload'), { recursive: true });
  write('apps/identity/src/inner/a.ts');
  for (let waitedMs = 0; waitedMs < 10_000 && reported.length === 0; waitedMs += 20) await delay(20);
  expect(reported[0]).toMatch(/^a change was not seen: ENOENT/);
  // chokidar joins changes of a file within 50 ms.
  await delay(100);
  mkdirSync(join(dataDir, 'reload'));
  for (const name of ['identity', 'coordinator'] as const) writeFileSync(stampOf(dataDir, name), '');
  expect(await stampedBy(() => write('apps/identity/src/inner/a.ts'))).toEqual([true, false]);
});

it('leaves out tests', async () => {
  write('apps/identity/src/a.int-spec.ts');
  write('apps/identity/src/inner/a.spec.ts');
  const before = stamps();
  // What comes later is seen later.
  expect(await stampedBy(() => write('apps/coordinator/src/b.ts'))).toEqual([false, true]);
  expect(stamps()[0]).toBe(before[0]);
});

it('lets Node start a program again, time after time', async () => {
  const entry = join(rootDir, 'program.mjs');
  writeFileSync(entry, 'console.log("started"); setInterval(() => undefined, 1000);');
  program = spawn(process.execPath, [`--watch-path=${stampOf(dataDir, 'identity')}`, entry], { env: {} });
  let starts = 0;
  program.stdout!.on('data', (chunk: Buffer) => (starts += chunk.toString().split('started').length - 1));
  for (let before = 0, times = 1; times <= 3; times++) {
    for (let waitedMs = 0; waitedMs < 20_000 && starts === before; waitedMs += 20) await delay(20);
    expect(starts).toBeGreaterThan(before);
    before = starts;
    replace('apps/identity/src/inner/a.ts');
  }
}, 90_000);
