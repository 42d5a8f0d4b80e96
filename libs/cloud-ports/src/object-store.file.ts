// Objects as files: <root>/<bucket>/<encoded name>. Written beside, flushed, then linked into place, which fails when the
// name is taken: the same promise as a generation precondition of Cloud Storage.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { FolderFlush, flushFolder } from './folder-flush.js';
import { assertBucketName, assertObjectName } from './object-names.js';
import { ObjectStore } from './object-store.port.js';

/** Not a possible bucket name, and on the same file system as the buckets, as `link` needs. */
const partialFolder = '.partial';
/** Stands in a bucket's folder for a moment while it is probed. No object has it: names of files never begin with a dot. */
const probeFile = '.probe';
/** A partial file this old belongs to a process that was killed while it wrote: a write takes seconds. */
const abandonedAfterMs = 3_600_000;

/** With callbacks: a file handle of promises costs several times the processor time, which shows at hundreds a second. */
const write = promisify(writeFile);

export class FileObjectStore extends ObjectStore {
  readonly #root: string;
  readonly #folders = new FolderFlush();
  /** Folders that this process has made or found. One that has gone meanwhile is noticed by the write that needs it. */
  readonly #knownFolders = new Set<string>();
  /** The removal of what killed processes left, once in the life of this one; begins with the first write. */
  #cleaning: Promise<void> | undefined;

  constructor(root: string) {
    super();
    this.#root = resolve(root);
  }

  // The content type has no place in a file; readers of the embedded store know what they wrote.
  async create(bucket: string, name: string, body: string): Promise<'created' | 'exists'> {
    const path = this.#path(bucket, name);
    const partial = join(this.#root, partialFolder, randomUUID());
    await Promise.all([this.#makeFolder(dirname(path)), this.#makeFolder(dirname(partial))]);
    // Nobody waits for it and nothing depends on it.
    this.#cleaning ??= removeAbandoned(dirname(partial)).catch(() => undefined);
    try {
      return await this.#createIn(path, partial, body);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    // Somebody has removed a folder since it was made.
    this.#knownFolders.clear();
    await Promise.all([this.#makeFolder(dirname(path)), this.#makeFolder(dirname(partial))]);
    return this.#createIn(path, partial, body);
  }

  async #createIn(path: string, partial: string, body: string): Promise<'created' | 'exists'> {
    let isTaken = false;
    try {
      await write(partial, body, { flag: 'wx', flush: true });
      await link(partial, path);
    } catch (error) {
      isTaken = hasCode(error, 'EEXIST');
      if (!isTaken) {
        await unlink(partial).catch(() => undefined);
        throw error;
      }
    }
    // Also when the name was taken: the winner may not have flushed the folder yet, and `exists` promises durability.
    await Promise.all([this.#folders.covering(dirname(path)), unlink(partial)]);
    return isTaken ? 'exists' : 'created';
  }

  async read(bucket: string, name: string): Promise<string | undefined> {
    try {
      return await readFile(this.#path(bucket, name), 'utf8');
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  async *list(bucket: string, prefix: string): AsyncIterable<string> {
    assertBucketName(bucket);
    let files: string[];
    try {
      files = await readdir(join(this.#root, bucket));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return;
      throw error;
    }
    const names = files
      .filter((file) => file !== probeFile)
      .map((file) => decodeURIComponent(file))
      .filter((name) => name.startsWith(prefix));
    // Cloud Storage orders by UTF-8 bytes, which differs from the order of UTF-16 units.
    yield* names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  /** Takes the way of `create` without the flushes: a file written beside, then moved into the folder of the bucket. */
  protected async probe(bucket: string): Promise<void> {
    assertBucketName(bucket);
    const folder = join(this.#root, bucket);
    const partial = join(this.#root, partialFolder, randomUUID());
    await Promise.all([mkdir(folder, { recursive: true }), mkdir(dirname(partial), { recursive: true })]);
    try {
      await write(partial, 'x', { flag: 'wx' });
      await rename(partial, join(folder, probeFile));
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    // Another replica may have removed it already.
    await rm(join(folder, probeFile), { force: true });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#cleaning;
  }

  async #makeFolder(path: string): Promise<void> {
    if (this.#knownFolders.has(path)) return;
    const created = await mkdir(path, { recursive: true });
    // A new folder is durable once the folder above it is flushed.
    if (created !== undefined) await flushFolder(dirname(created));
    this.#knownFolders.add(path);
  }

  #path(bucket: string, name: string): string {
    assertBucketName(bucket);
    assertObjectName(name);
    const file = encodeName(name);
    if (file.length > 255) throw new RangeError(`object name is too long for a file: ${name.slice(0, 60)}...`);
    return join(this.#root, bucket, file);
  }
}

/** Should one of them be written all the same, its writer notices that it has gone and begins anew. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const path = join(folder, file);
    try {
      if (Date.now() - (await stat(path)).mtimeMs > abandonedAfterMs) await unlink(path);
    } catch (error) {
      // Its writer, or another replica that cleans up, was faster.
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}

/**
 * A file name for any object name, one to one: no separator and no leading dot survives, so no name leaves the folder.
 * @example encodeName('../a b') === '%2E.%2Fa%20b'
 */
function encodeName(name: string): string {
  return encodeURIComponent(name).replace(/^\./, '%2E');
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
