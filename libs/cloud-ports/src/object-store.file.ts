// Objects as files: <root>/<bucket>/<encoded name>. Written beside, flushed, then linked into place, which fails when the
// name is taken: the same promise as a generation precondition of Cloud Storage.
import { randomUUID } from 'node:crypto';
import { access, constants, link, mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { assertBucketName, assertObjectName } from './object-names.js';
import { ObjectStore } from './object-store.port.js';

/** Not a possible bucket name, and on the same file system as the buckets, as `link` needs. */
const partialFolder = '.partial';

export class FileObjectStore extends ObjectStore {
  readonly #root: string;

  constructor(root: string) {
    super();
    this.#root = resolve(root);
  }

  // The content type has no place in a file; readers of the embedded store know what they wrote.
  async create(bucket: string, name: string, body: string): Promise<'created' | 'exists'> {
    const path = this.#path(bucket, name);
    const partial = join(this.#root, partialFolder, randomUUID());
    await Promise.all([makeFolder(dirname(path)), makeFolder(dirname(partial))]);
    await writeDurably(partial, body);
    try {
      await link(partial, path);
      return 'created';
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return 'exists';
      throw error;
    } finally {
      // Also when the name was taken: the winner may not have flushed the folder yet, and `exists` promises durability.
      await syncFolder(dirname(path));
      await unlink(partial);
    }
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
    const names = files.map((file) => decodeURIComponent(file)).filter((name) => name.startsWith(prefix));
    // Cloud Storage orders by UTF-8 bytes, which differs from the order of UTF-16 units.
    yield* names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  async ping(): Promise<void> {
    await makeFolder(this.#root);
    await access(this.#root, constants.W_OK);
  }

  async onApplicationShutdown(): Promise<void> {
    // Nothing is held open between calls.
  }

  #path(bucket: string, name: string): string {
    assertBucketName(bucket);
    assertObjectName(name);
    const file = encodeName(name);
    if (file.length > 255) throw new RangeError(`object name is too long for a file: ${name.slice(0, 60)}...`);
    return join(this.#root, bucket, file);
  }
}

/**
 * A file name for any object name, one to one: no separator and no leading dot survives, so no name leaves the folder.
 * @example encodeName('../a b') === '%2E.%2Fa%20b'
 */
function encodeName(name: string): string {
  return encodeURIComponent(name).replace(/^\./, '%2E');
}

async function makeFolder(path: string): Promise<void> {
  const created = await mkdir(path, { recursive: true });
  // A new folder is durable once the folder above it is flushed.
  if (created !== undefined) await syncFolder(dirname(created));
}

async function writeDurably(path: string, body: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(body, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
