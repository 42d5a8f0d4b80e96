import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SourceWatcher } from './source-watcher.js';

let rootDir: string;
let watcher: SourceWatcher;
const changed = new Set<string>();

beforeEach(async () => {
  rootDir = mkdtempSync(join(tmpdir(), 'tradewind-watched-'));
  const folders = { 'apps/identity': { '@tradewind/kit': '1.0.0' }, 'apps/coordinator': {}, 'libs/kit': {} };
  for (const [folder, dependencies] of Object.entries(folders)) {
    mkdirSync(join(rootDir, folder, 'src/inner'), { recursive: true });
    writeFileSync(join(rootDir, folder, 'package.json'), JSON.stringify({ dependencies }));
    writeFileSync(join(rootDir, folder, 'src/inner/a.ts'), '1');
  }
  watcher = await SourceWatcher.start({
    rootDir,
    names: ['identity', 'coordinator'],
    changed: (name) => changed.add(name),
    report: () => undefined,
  });
});
afterEach(async () => {
  await watcher.stop();
  rmSync(rootDir, { recursive: true, force: true });
});

/** The services that this change belongs to. */
async function changedBy(change: () => void): Promise<string[]> {
  changed.clear();
  change();
  for (let waitedMs = 0; waitedMs < 10_000 && changed.size === 0; waitedMs += 20) await delay(20);
  // Further events of the same change.
  await delay(100);
  return [...changed];
}

const write = (path: string) => writeFileSync(join(rootDir, path), String(Math.random()));
const replace = (path: string) => {
  write('new');
  renameSync(join(rootDir, 'new'), join(rootDir, path));
};

it('names the services whose source changes, also after a file was replaced', async () => {
  const own = 'apps/identity/src/inner/a.ts';
  for (const change of [write, replace, write, replace, replace, write]) {
    expect(await changedBy(() => change(own))).toEqual(['identity']);
  }
  expect(await changedBy(() => replace('apps/coordinator/src/inner/a.ts'))).toEqual(['coordinator']);
  expect(await changedBy(() => replace('libs/kit/src/inner/a.ts'))).toEqual(['identity']);
  mkdirSync(join(rootDir, 'libs/kit/src/later'));
  expect(await changedBy(() => write('libs/kit/src/later/b.ts'))).toEqual(['identity']);
  expect(await changedBy(() => rmSync(join(rootDir, 'libs/kit/src/later/b.ts')))).toEqual(['identity']);
});

it('leaves out tests', async () => {
  write('apps/identity/src/a.int-spec.ts');
  write('apps/identity/src/inner/a.spec.ts');
  // What comes later is seen later.
  expect(await changedBy(() => write('apps/coordinator/src/b.ts'))).toEqual(['coordinator']);
});
