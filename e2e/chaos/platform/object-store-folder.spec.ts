import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ObjectStoreFolder } from './object-store-folder.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-objects-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('refuses every write while it is away, although writers make the folder again and again', async () => {
  const path = join(folder, 'objects');
  const bucket = join(path, 'bucket');
  const store = await ObjectStoreFolder.make(path);
  mkdirSync(bucket);
  let isWriting = true;
  let isAway = false;
  let writtenWhileAway = 0;
  const writer = (async () => {
    while (isWriting) {
      const wasAway = isAway;
      try {
        mkdirSync(bucket, { recursive: true });
        if (wasAway && isAway) writtenWhileAway += 1;
      } catch {
        // The fault.
      }
      await new Promise(setImmediate);
    }
  })();
  for (let turn = 0; turn < 200; turn += 1) {
    await store.takeAway();
    isAway = true;
    await new Promise(setImmediate);
    expect(existsSync(bucket)).toBe(false);
    isAway = false;
    await store.giveBack();
    expect(readdirSync(path)).toEqual(['bucket']);
  }
  isWriting = false;
  await writer;
  expect(writtenWhileAway).toBe(0);
});
