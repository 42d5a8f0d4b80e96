import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { objectStoreContract } from '../test/contracts/object-store.contract.js';
import { FolderFlush } from './folder-flush.js';
import { FileObjectStore } from './object-store.file.js';

const folders: string[] = [];
const folder = async () => {
  const path = await mkdtemp(join(tmpdir(), 'tradewind-objects-'));
  folders.push(path);
  return path;
};

objectStoreContract('FileObjectStore', async () => {
  const root = await folder();
  const open = () => new FileObjectStore(root);
  return {
    store: open(),
    replica: open(),
    open,
    // A file in place of the folder: making the folder fails with EEXIST.
    forbidWriting: async () => {
      await rm(join(root, 'backup-bucket'), { recursive: true });
      await writeFile(join(root, 'backup-bucket'), '');
    },
    bucket: 'backup-bucket',
    close: () => rm(root, { recursive: true }),
  };
});

describe('FileObjectStore', () => {
  afterEach(async () => {
    for (const path of folders.splice(0)) await rm(path, { recursive: true, force: true });
  });

  it('leaves nothing outside the bucket, and no partial file', async () => {
    const parent = await folder();
    const root = join(parent, 'objects');
    const store = new FileObjectStore(root);
    await store.create('bucket', '../../escaped', 'x');
    await store.create('bucket', '../../escaped', 'x');
    expect(await readdir(parent)).toEqual(['objects']);
    expect((await readdir(root)).sort()).toEqual(['.partial', 'bucket']);
    expect(await readdir(join(root, '.partial'))).toEqual([]);
  });

  it('removes the partial files of killed processes, and none that may still be written', async () => {
    const root = await folder();
    const partial = join(root, '.partial');
    await mkdir(partial);
    for (const name of ['abandoned', 'under-way']) await writeFile(join(partial, name), 'half of an ob');
    const hoursAgo = Date.now() / 1000 - 2 * 3600;
    await utimes(join(partial, 'abandoned'), hoursAgo, hoursAgo);
    const store = new FileObjectStore(root);
    expect(await store.create('bucket', 'one', 'x')).toBe('created');
    await store.onApplicationShutdown();
    expect(await readdir(partial)).toEqual(['under-way']);
  });

  it('flushes the folders that a killed process left, those of a long name each time', async () => {
    const root = join(await folder(), 'objects');
    const longNames = ['a', 'b'].map((end) => 'x'.repeat(600) + end);
    const parts = ['x'.repeat(250) + '+', 'x'.repeat(250) + '+'];
    await mkdir(join(root, 'bucket', ...parts), { recursive: true });
    let flushed: string[] = [];
    const noted = async (path: string) => void flushed.push(relative(root, path));
    const store = new FileObjectStore(root, new FolderFlush(noted));
    await store.create('bucket', longNames[0]!, 'x');
    const folders = ['..', '', 'bucket', join('bucket', parts[0]!), join('bucket', ...parts)];
    expect([...new Set(flushed)].sort()).toEqual(folders.sort());
    flushed = [];
    await store.create('bucket', longNames[1]!, 'x');
    expect(flushed.sort()).toEqual(['bucket', join('bucket', parts[0]!), join('bucket', ...parts)]);
    flushed = [];
    await store.create('bucket', 'short', 'x');
    expect(flushed).toEqual(['bucket']);
  });

  it('needs to read the folder above its root only when it makes the root', async () => {
    const parent = await folder();
    const refuses = async (path: string) => {
      if (path === parent) throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
    };
    const root = join(parent, 'objects');
    const create = () => new FileObjectStore(root, new FolderFlush(refuses)).create('bucket', 'one', 'x');
    await expect(create()).rejects.toThrow('permission denied');
    expect(await create()).toBe('created');
  });

  it('flushes the folder above a root that it made, however many calls come first together', async () => {
    for (let round = 0; round < 50; round += 1) {
      const parent = await folder();
      const refuses = async (path: string) => {
        if (path === parent) throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
      };
      const store = new FileObjectStore(join(parent, 'objects'), new FolderFlush(refuses));
      const calls = ['one', 'two', 'three'].map((bucket) => store.create(bucket, 'name', 'x'));
      expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
    }
  });

  it('lists its objects beside a file that is not its own, and warns of it', async () => {
    const root = join(await folder(), 'objects');
    const store = new FileObjectStore(root);
    const longName = '%'.repeat(400);
    await store.create('bucket', longName, 'x');
    await store.create('bucket', 'one', 'x');
    await writeFile(join(root, 'bucket', '100%'), '');
    // A warning of the process does not reach the listeners inside a test.
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const names: string[] = [];
    for await (const name of store.list('bucket', '')) names.push(name);
    expect(names).toEqual([longName, 'one']);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('100% is not the encoded name'));
    warn.mockRestore();
  });

  it('creates its folders again when they were removed', async () => {
    const root = join(await folder(), 'objects');
    const store = new FileObjectStore(root);
    await store.create('bucket', 'one', 'x');
    await rm(join(root, 'bucket'), { recursive: true });
    expect(await store.create('bucket', 'two', 'y')).toBe('created');
    await rm(root, { recursive: true });
    expect(await store.create('bucket', 'three', 'z')).toBe('created');
    expect(await store.read('bucket', 'three')).toBe('z');
    expect(await readdir(join(root, '.partial'))).toEqual([]);
  });

  it('keeps each of many objects created at once, and says which names were taken', async () => {
    const store = new FileObjectStore(join(await folder(), 'objects'));
    const names = Array.from({ length: 200 }, (_, index) => `object-${index % 100}`);
    const outcomes = await Promise.all(names.map((name) => store.create('bucket', name, name)));
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(100);
    const kept: string[] = [];
    for await (const name of store.list('bucket', '')) kept.push(name);
    expect(kept.sort()).toEqual([...new Set(names)].sort());
  });

  it.each([
    ['the folder of all buckets', ''],
    ['the folder for partial files', '.partial'],
    ['the folder of the bucket', 'bucket'],
  ])('is not writable while %s is a file', async (_name, path) => {
    const root = join(await folder(), 'objects');
    if (path !== '') await mkdir(root);
    await writeFile(join(root, path), '');
    const store = new FileObjectStore(root);
    await expect(store.assertWritable('bucket')).rejects.toThrow();
    await expect(store.create('bucket', 'one', 'x')).rejects.toThrow();
  });

  it('is not writable while another file system is mounted in place of the bucket', async () => {
    const root = await folder();
    await symlink('/proc/self', join(root, 'bucket'));
    const store = new FileObjectStore(root);
    await expect(store.assertWritable('bucket')).rejects.toThrow();
    expect(await readdir(join(root, '.partial'))).toEqual([]);
  });
});
