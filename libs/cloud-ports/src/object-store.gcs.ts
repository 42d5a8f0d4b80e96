// Objects in Google Cloud Storage. The precondition "no generation yet" makes every create write-once, whatever
// retries.
import { CRC32C, Storage, type Bucket } from '@google-cloud/storage';
import { retry } from '@tradewind/shared-types';
import { PassThroughClient } from 'google-auth-library';
import { assertBucketName, assertObjectName } from './object-names.js';
import { ObjectStore } from './object-store.port.js';

export interface GcsObjectStoreOptions {
  projectId: string;
  /** Address of an emulator or fake; calls carry no credentials then. */
  apiEndpoint?: string | undefined;
}

const createPermission = 'storage.objects.create';
/** Above this, Google advises an upload that can be resumed, at the price of one more request. */
const resumableSizeBytesMin = 5_000_000;
const namesPerPage = 1_000;
/** A read gives up after about 15 s. */
const readRetry = {
  attempts: 5,
  backoffMsMin: 1_000,
  backoffMsMax: 8_000,
  isRetryable: (error: unknown) => isPassing(codeOf(error)),
};

/**
 * A create whose answer was lost is tried again by the client and then finds its own object: it answers `exists`.
 * Both answers mean that the object is there.
 */
export class GcsObjectStore extends ObjectStore {
  readonly #storage: Storage;
  /** For downloads and probes: tries once. The client's own retry of a download ends in a closed stream. */
  readonly #storageWithoutRetry: Storage;
  readonly #options: GcsObjectStoreOptions;

  constructor(options: GcsObjectStoreOptions) {
    super();
    this.#options = options;
    const access = {
      projectId: options.projectId,
      ...(options.apiEndpoint === undefined
        ? {}
        : { apiEndpoint: options.apiEndpoint, authClient: new PassThroughClient() }),
    };
    // 408, 429 and 5xx, as long as repeating is safe: that is so for lists, and for writes with a precondition.
    this.#storage = new Storage({ ...access, retryOptions: { autoRetry: true, maxRetries: 5, totalTimeout: 60 } });
    this.#storageWithoutRetry = new Storage({ ...access, retryOptions: { autoRetry: false } });
  }

  async create(bucket: string, name: string, body: string, contentType: string): Promise<'created' | 'exists'> {
    const file = this.#bucket(bucket).file(checkedName(name));
    const bytes = Buffer.from(body, 'utf8');
    try {
      await file.save(bytes, {
        contentType,
        resumable: bytes.length >= resumableSizeBytesMin,
        // The store compares, and refuses what arrived damaged with 400. Were the comparison left to the client, it
        // would delete the stored object, which our role may not.
        metadata: { crc32c: checksum(bytes) },
        validation: false,
        preconditionOpts: { ifGenerationMatch: 0 },
      });
      return 'created';
    } catch (error) {
      if (codeOf(error) === 412) return 'exists';
      throw error;
    }
  }

  async read(bucket: string, name: string): Promise<string | undefined> {
    const file = this.#bucket(bucket, this.#storageWithoutRetry).file(checkedName(name));
    try {
      // The client compares what it received with the checksum that the store kept.
      const [body] = await retry(() => file.download({ validation: 'crc32c' }), readRetry);
      return body.toString('utf8');
    } catch (error) {
      if (codeOf(error) === 404) return undefined;
      throw error;
    }
  }

  async *list(bucket: string, prefix: string): AsyncIterable<string> {
    let query: object | null = { prefix, maxResults: namesPerPage, autoPaginate: false };
    while (query) {
      const [files, next]: [{ name: string }[], object | null, ...unknown[]] =
        await this.#bucket(bucket).getFiles(query);
      for (const { name } of files) yield name;
      query = next;
    }
  }

  /** Asks which permissions this process has: a written object could not be removed by a role that only creates. */
  protected async probe(name: string): Promise<void> {
    const bucket = this.#bucket(name, this.#storageWithoutRetry);
    try {
      const [granted] = await bucket.iam.testPermissions(createPermission);
      if (granted[createPermission] !== true) throw new Error(`${createPermission} is not granted on ${name}`);
    } catch (error) {
      // Emulators know no permissions: there it is enough that the bucket exists.
      if (this.#options.apiEndpoint === undefined || ![404, 405, 501].includes(Number(codeOf(error)))) throw error;
      await bucket.getFiles({ maxResults: 1, autoPaginate: false });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    // Requests are waited for by their callers; nothing is held open.
  }

  #bucket(name: string, storage = this.#storage): Bucket {
    assertBucketName(name);
    return storage.bucket(name);
  }
}

function checkedName(name: string): string {
  assertObjectName(name);
  return name;
}

function checksum(bytes: Buffer): string {
  const crc32c = new CRC32C();
  crc32c.update(bytes);
  return crc32c.toString();
}

/** Failures that pass: too many requests, the server's own, a damaged or broken transfer. */
function isPassing(code: unknown): boolean {
  return [408, 429, 500, 502, 503, 504, 'CONTENT_DOWNLOAD_MISMATCH', 'ECONNRESET', 'ETIMEDOUT'].includes(code as never);
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
