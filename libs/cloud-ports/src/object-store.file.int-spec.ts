import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectStoreContract } from '../test/contracts/object-store.contract.js';
import { FileObjectStore } from './object-store.file.js';

const folders: string[] = [];
const folder = async () => {
  const path = await mkdtemp(join(tmpdir(), 'tradewind-objects-'));
  folders.push(path);
  return path;
};

objectStoreContract('FileObjectStore', async () => {
  const root = await folder();
  return {
    store: new FileObjectStore(root),
    replica: new FileObjectStore(root),
    bucket: 'backup-bucket',
    close: () => rm(root, { recursive: true }),
  };
});

describe('FileObjectStore', () => {
  afterEach(async () => {
    for (const path of folders.splice(0)) await rm(path, { recursive: true, force: true });
  });

  it('leaves nothing outside the bucket and no partial file behind', async () => {
    const parent = await folder();
    const root = join(parent, 'objects');
    const store = new FileObjectStore(root);
    await store.create('bucket', '../../escaped', 'x');
    await store.create('bucket', '../../escaped', 'x');
    expect(await readdir(parent)).toEqual(['objects']);
    expect((await readdir(root)).sort()).toEqual(['.partial', 'bucket']);
    expect(await readdir(join(root, '.partial'))).toEqual([]);
  });

  it('rejects ping when the folder cannot be used', async () => {
    const file = join(await folder(), 'not-a-folder');
    await writeFile(file, '');
    await expect(new FileObjectStore(file).ping()).rejects.toThrow();
  });
});
