// Objects in Google Cloud Storage. The precondition "no generation yet" makes every create write-once, with any number
// of retries.
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
/** Above this size Google advises a resumable upload, which costs one more request. */
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
 * The client repeats a create whose answer was lost, and then finds its own object and returns `exists`. Both results
 * mean that the object is there.
 */
export class GcsObjectStore extends ObjectStore {
  readonly #storage: Storage;
  /** For downloads and probes: one attempt. The client's own retry of a download ends in a closed stream. */
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
    // It retries 408, 429 and 5xx where a repeat is safe: for lists, and for writes with a precondition.
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
        // The store compares the checksum and refuses damaged data with 400. The client would delete the stored object
        // instead, which our role may not.
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
      // The client compares the data with the checksum of the store.
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

  /** Asks for the permissions of this process, because a role that only creates could not remove a test object. */
  protected async probe(name: string): Promise<void> {
    const bucket = this.#bucket(name, this.#storageWithoutRetry);
    try {
      const [granted] = await bucket.iam.testPermissions(createPermission);
      if (granted[createPermission] !== true) throw new Error(`${createPermission} is not granted on ${name}`);
    } catch (error) {
      // Emulators have no permissions; there it is enough that the bucket exists.
      if (this.#options.apiEndpoint === undefined || ![404, 405, 501].includes(Number(codeOf(error)))) throw error;
      await bucket.getFiles({ maxResults: 1, autoPaginate: false });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    // Callers wait for their requests; nothing is held open.
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

/** Transient failures: too many requests, faults of the server, a damaged or broken transfer. */
function isPassing(code: unknown): boolean {
  return [408, 429, 500, 502, 503, 504, 'CONTENT_DOWNLOAD_MISMATCH', 'ECONNRESET', 'ETIMEDOUT'].includes(code as never);
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}
