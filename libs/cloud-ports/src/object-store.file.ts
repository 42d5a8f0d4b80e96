// Objects as files: <root>/<bucket>/<encoded name>. A file is written elsewhere, flushed, and linked into place. The
// link fails when the name is taken, which is the promise of a generation precondition of Cloud Storage.
import { randomUUID } from 'node:crypto';
import { writeFile, type Dirent } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { FolderFlush } from './folder-flush.js';
import { assertBucketName, assertObjectName } from './object-names.js';
import { ObjectStore } from './object-store.port.js';

/** Not a possible bucket name, and on the same file system as the buckets, as `link` needs. */
const partialFolder = '.partial';
/** Exists for a moment while a bucket is probed. No object has this name: encoded names never begin with a dot. */
const probeFile = '.probe';
/** Most bytes of a file name on common file systems. */
const fileNameMax = 255;
/** Characters of one part of a longer name, which leaves room for the mark and an encoded dot. */
const partMax = 250;
/** Ends the folders that hold the rest of a long name. Encoded names have no plus sign. */
const continued = '+';
/** A partial file this old belongs to a process that was killed while it wrote: a write takes seconds. */
const abandonedAfterMs = 3_600_000;

/** With callbacks: promises cost several times the processor time, which shows at hundreds of files per second. */
const write = promisify(writeFile);

export class FileObjectStore extends ObjectStore {
  readonly #root: string;
  readonly #folders: FolderFlush;
  /** Folders that this process made or found, and flushed. A write notices when one is gone. */
  readonly #knownFolders = new Set<string>();
  /** Two calls that made the root together would each take it for the other's, and none would need its flush. */
  #rootInTheMaking: Promise<void> | undefined;
  /** The removal of what killed processes left: once, at the first write. */
  #cleaning: Promise<void> | undefined;

  /** @param folders for tests */
  constructor(root: string, folders = new FolderFlush()) {
    super();
    this.#folders = folders;
    this.#root = resolve(root);
  }

  // The content type has no place in a file; readers of the embedded store know what they wrote.
  async create(bucket: string, name: string, body: string): Promise<'created' | 'exists'> {
    const path = this.#path(bucket, name);
    const partial = join(this.#root, partialFolder, randomUUID());
    await Promise.all([this.#makeFolder(dirname(path)), this.#makeFolder(dirname(partial))]);
    // Not awaited: nothing depends on it.
    this.#cleaning ??= removeAbandoned(dirname(partial)).catch(() => undefined);
    try {
      return await this.#createIn(path, partial, body);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    // A folder was removed after it was made.
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
    // Also when the name is taken: `exists` promises durability, and the winner may not have flushed the folder yet.
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
    const folder = join(this.#root, bucket);
    let entries: Dirent[];
    try {
      entries = await readdir(folder, { recursive: true, withFileTypes: true });
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return;
      throw error;
    }
    const names = entries
      .filter((entry) => entry.isFile() && entry.name !== probeFile)
      .flatMap((entry) => decodePath(relative(folder, join(entry.parentPath, entry.name))) ?? [])
      .filter((name) => name.startsWith(prefix));
    // Cloud Storage orders by UTF-8 bytes, which differs from the order of UTF-16 units.
    yield* names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  /** Does what `create` does, without the flushes: writes a file elsewhere and moves it into the bucket's folder. */
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
    if (path !== this.#root) {
      this.#rootInTheMaking ??= this.#makeFolder(this.#root).finally(() => (this.#rootInTheMaking = undefined));
      await this.#rootInTheMaking;
    }
    const created = await mkdir(path, { recursive: true });
    // A folder is durable once the one above it is flushed. One that was there is flushed as well, because the process
    // that made it may have been killed before its flush.
    const top = created !== undefined && created.length < this.#root.length ? created : this.#root;
    const durable: string[] = [];
    for (let each = path; each.length >= top.length && !this.#knownFolders.has(each); each = dirname(each)) {
      await this.#folders.covering(dirname(each)).catch((error: unknown) => {
        // An operator made the root, perhaps in a folder that this process may not read.
        const isRootGiven = each === this.#root && top === this.#root && created !== this.#root;
        if (!isRootGiven || !hasCode(error, 'EACCES')) throw error;
      });
      durable.push(each);
    }
    // Those of long names are used once.
    for (const each of durable) if (!each.endsWith(continued)) this.#knownFolders.add(each);
  }

  #path(bucket: string, name: string): string {
    assertBucketName(bucket);
    assertObjectName(name);
    return join(this.#root, bucket, encodePath(name));
  }
}

/** A writer that is still alive notices that its file is gone, and starts again. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const file of await readdir(folder)) {
    const path = join(folder, file);
    try {
      if (Date.now() - (await stat(path)).mtimeMs > abandonedAfterMs) await unlink(path);
    } catch (error) {
      // Its writer or another replica was faster.
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}

/**
 * A path for any object name, one to one. No separator and no leading dot survives, so no name leaves the folder. A
 * name that is too long for a file is cut into parts. All parts but the last are folders with a mark at the end.
 * @example encodePath('../a b') === '%2E.%2Fa%20b'
 */
function encodePath(name: string): string {
  const encoded = withoutLeadingDot(encodeURIComponent(name));
  if (encoded.length <= fileNameMax) return encoded;
  const parts = encoded.match(new RegExp(`.{1,${partMax}}`, 'g')) ?? [];
  return parts.map(withoutLeadingDot).join(`${continued}/`);
}

function withoutLeadingDot(part: string): string {
  return part.replace(/^\./, '%2E');
}

/** Undefined, with a warning of the process, for a file that this store did not make. */
function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path.replaceAll(`${continued}/`, ''));
  } catch {
    process.emitWarning(`${path} is not the encoded name of an object, and is not listed`);
    return undefined;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
