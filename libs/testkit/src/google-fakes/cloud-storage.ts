// Cloud Storage's JSON API on loopback, as far as this platform uses it. It has simple, multipart and resumable uploads
// with generation preconditions, downloads with checksums, and listing by prefix in pages. State is memory.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { crc32c } from './crc32c.js';
import { createFaultPlan, type FaultPlan } from './fault-plan.js';
import { closeServer, listenOnLoopback } from './loopback.js';

export interface FakeCloudStorage {
  /** For the client's `apiEndpoint`. */
  url: string;
  /**
   * Methods are `upload`, `download`, `list` and `permissions`. A number is the HTTP status of the answer. `lost` does
   * the work and then breaks the connection. `damaged` receives or sends other bytes than were given.
   */
  faults: FaultPlan<number | 'lost' | 'damaged'>;
  /** Requests seen, by method. Deleting is denied, as it is to our role. */
  requests: Record<'upload' | 'download' | 'list' | 'delete' | 'permissions', number>;
  /** Objects of a bucket by name. */
  objects(bucket: string): ReadonlyMap<string, StoredObject>;
  createBucket(bucket: string): void;
  /** From now on the caller may create nothing in the bucket, as when its role is taken away. */
  denyCreating(bucket: string): void;
  /** Stores an object without a request. */
  put(bucket: string, name: string, text: string): void;
  close(): Promise<void>;
}

export interface StoredObject {
  body: Buffer;
  contentType: string;
  generation: number;
}

interface Upload {
  bucket: string;
  name: string;
  contentType: string;
  ifGenerationMatch: string | null;
  /** As the caller computed it, if it did. */
  crc32c: string | undefined;
  received: Buffer[];
}

class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export async function startFakeCloudStorage(): Promise<FakeCloudStorage> {
  const buckets = new Map<string, Map<string, StoredObject>>();
  const uploads = new Map<string, Upload>();
  const faults = createFaultPlan<number | 'lost' | 'damaged'>();
  const requests = { upload: 0, download: 0, list: 0, delete: 0, permissions: 0 };
  const deniedBuckets = new Set<string>();
  let generation = 0;

  const bucketOf = (name: string) => {
    const bucket = buckets.get(name);
    if (!bucket) throw new ApiError(404, 'The specified bucket does not exist.');
    return bucket;
  };

  const metadata = (bucket: string, name: string, object: StoredObject) => ({
    kind: 'storage#object',
    bucket,
    name,
    id: `${bucket}/${name}/${object.generation}`,
    generation: String(object.generation),
    metageneration: '1',
    contentType: object.contentType,
    size: String(object.body.length),
    crc32c: crc32c(object.body),
    md5Hash: createHash('md5').update(object.body).digest('base64'),
  });

  function store(upload: Upload, isDamaged: boolean) {
    const { bucket, name, contentType } = upload;
    assertGeneration(upload);
    const body = isDamaged ? Buffer.from('damaged') : Buffer.concat(upload.received);
    const calculated = crc32c(body);
    if (upload.crc32c !== undefined && upload.crc32c !== calculated) {
      throw new ApiError(400, `Provided CRC32C "${upload.crc32c}" doesn't match calculated CRC32C "${calculated}".`);
    }
    generation += 1;
    const object = { body, contentType, generation };
    bucketOf(bucket).set(name, object);
    return metadata(bucket, name, object);
  }

  function assertGeneration({ bucket, name, ifGenerationMatch }: Upload): void {
    if (ifGenerationMatch === null) return;
    const current = bucketOf(bucket).get(name)?.generation ?? 0;
    if (Number(ifGenerationMatch) !== current) {
      throw new ApiError(412, 'At least one of the pre-conditions you specified did not hold.');
    }
  }

  async function upload(request: IncomingMessage, response: ServerResponse, url: URL, isDamaged: boolean) {
    const session = url.searchParams.get('upload_id');
    if (session !== null) return resume(request, response, session, isDamaged);
    const bucket = decodeURIComponent(/\/b\/([^/]+)\/o/.exec(url.pathname)?.[1] ?? '');
    bucketOf(bucket);
    if (deniedBuckets.has(bucket)) throw new ApiError(403, 'The caller does not have storage.objects.create access.');
    const body = await readBody(request);
    const started: Upload = {
      bucket,
      name: url.searchParams.get('name') ?? '',
      contentType: request.headers['x-upload-content-type']?.toString() ?? '',
      ifGenerationMatch: url.searchParams.get('ifGenerationMatch'),
      crc32c: undefined,
      received: [],
    };
    if (url.searchParams.get('uploadType') === 'resumable') {
      const described = (body.length > 0 ? JSON.parse(body.toString('utf8')) : {}) as {
        name?: string;
        contentType?: string;
        crc32c?: string;
      };
      started.crc32c = described.crc32c;
      started.name ||= described.name ?? '';
      started.contentType ||= described.contentType ?? '';
      const id = `upload-${uploads.size + 1}`;
      uploads.set(id, started);
      response.setHeader(
        'location',
        `${fake.url}/upload/storage/v1/b/${bucket}/o?uploadType=resumable&upload_id=${id}`,
      );
      return {};
    }
    const parts = multipart(body, request.headers['content-type'] ?? '');
    started.name ||= parts.metadata.name ?? '';
    started.crc32c = parts.metadata.crc32c;
    started.contentType = parts.metadata.contentType ?? parts.contentType;
    started.received.push(parts.media);
    return store(started, isDamaged);
  }

  async function resume(request: IncomingMessage, response: ServerResponse, session: string, isDamaged: boolean) {
    const upload = uploads.get(session);
    if (!upload) throw new ApiError(404, 'No such upload');
    const chunk = await readBody(request);
    upload.received.push(chunk);
    const total = /\/(\d+|\*)$/.exec(request.headers['content-range'] ?? '')?.[1];
    const size = upload.received.reduce((sum, each) => sum + each.length, 0);
    // "bytes 0-*/*" is how the client sends a body of unknown length in one piece.
    const isWhole = total === undefined || (total === '*' && /bytes \d+-\*/.test(request.headers['content-range'] ?? '')) || Number(total) === size; // prettier-ignore
    if (isWhole) return store(upload, isDamaged);
    response.statusCode = 308;
    if (size > 0) response.setHeader('range', `bytes=0-${size - 1}`);
    return undefined;
  }

  function list(bucket: string, search: URLSearchParams) {
    const names = [...bucketOf(bucket).keys()]
      .filter((name) => name.startsWith(search.get('prefix') ?? ''))
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const start = Number(search.get('pageToken') ?? 0);
    const end = start + Number(search.get('maxResults') ?? 1_000);
    return {
      kind: 'storage#objects',
      items: names.slice(start, end).map((name) => metadata(bucket, name, bucketOf(bucket).get(name)!)),
      ...(end < names.length ? { nextPageToken: String(end) } : {}),
    };
  }

  /** Those of the permissions asked about that the caller has; the field is absent when there is none. */
  function permissions(bucket: string, search: URLSearchParams) {
    bucketOf(bucket);
    const asked = search.getAll('permissions');
    const granted = asked.filter((name) => name !== 'storage.objects.create' || !deniedBuckets.has(bucket));
    return {
      kind: 'storage#testIamPermissionsResponse',
      ...(granted.length > 0 ? { permissions: granted } : {}),
    };
  }

  function download(
    response: ServerResponse,
    bucket: string,
    name: string,
    search: URLSearchParams,
    isDamaged: boolean,
  ) {
    const object = bucketOf(bucket).get(name);
    if (!object) throw new ApiError(404, `No such object: ${bucket}/${name}`);
    if (search.get('alt') !== 'media') return metadata(bucket, name, object);
    const { crc32c: sum, md5Hash } = metadata(bucket, name, object);
    response.setHeader('content-type', object.contentType);
    response.setHeader('x-goog-hash', `crc32c=${sum},md5=${md5Hash}`);
    // Without it the client does not compare the checksum.
    response.setHeader('x-goog-stored-content-encoding', 'identity');
    response.setHeader('x-goog-generation', String(object.generation));
    return isDamaged ? Buffer.concat([object.body, Buffer.from('!')]) : object.body;
  }

  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '', 'http://fake');
      const permissionsOf = /\/b\/([^/]+)\/iam\/testPermissions$/.exec(url.pathname)?.[1];
      const [, bucket = '', name] = /\/b\/([^/]+)\/o(?:\/([^/]+))?$/.exec(url.pathname)?.map(decodeURIComponent) ?? [];
      const method = url.pathname.startsWith('/upload/')
        ? 'upload'
        : request.method === 'DELETE'
          ? 'delete'
          : permissionsOf !== undefined
            ? 'permissions'
            : name === undefined || name === 'undefined'
              ? 'list'
              : 'download';
      requests[method] += 1;
      const fault = faults.take(method);
      try {
        if (typeof fault === 'number') throw new ApiError(fault, 'ordered failure');
        const isDamaged = fault === 'damaged';
        const answer =
          method === 'upload'
            ? await upload(request, response, url, isDamaged)
            : method === 'list'
              ? list(bucket, url.searchParams)
              : method === 'permissions'
                ? permissions(decodeURIComponent(permissionsOf!), url.searchParams)
                : method === 'delete'
                  ? denied()
                  : download(response, bucket, name!, url.searchParams, isDamaged);
        if (fault === 'lost') request.socket.destroy();
        else if (Buffer.isBuffer(answer)) response.end(answer);
        else response.setHeader('content-type', 'application/json').end(answer && JSON.stringify(answer));
      } catch (error) {
        const { status = 500, message } = error as ApiError;
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { code: status, message, errors: [{ message, reason: 'fake' }] } }));
      }
    })();
  });
  const fake: FakeCloudStorage = {
    url: await listenOnLoopback(server),
    faults,
    requests,
    objects: (bucket) => bucketOf(bucket),
    createBucket: (bucket) => void buckets.set(bucket, new Map()),
    denyCreating: (bucket) => void deniedBuckets.add(bucket),
    put(bucket, name, text) {
      generation += 1;
      bucketOf(bucket).set(name, { body: Buffer.from(text), contentType: 'text/plain', generation });
    },
    close: () => closeServer(server),
  };
  return fake;
}

function denied(): never {
  throw new ApiError(403, 'The caller does not have storage.objects.delete access.');
}

/** The two parts of an upload of type multipart/related: JSON metadata, then the object's bytes. */
function multipart(body: Buffer, contentType: string) {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (!boundary) throw new ApiError(400, 'The upload has no boundary');
  const delimiter = Buffer.from(`--${boundary}`);
  const partAt = (from: number) => {
    const start = body.indexOf(delimiter, from) + delimiter.length + 2;
    const headersEnd = body.indexOf('\r\n\r\n', start);
    const end = body.indexOf(delimiter, headersEnd) - 2;
    return { headers: body.toString('utf8', start, headersEnd), content: body.subarray(headersEnd + 4, end), end };
  };
  const described = partAt(0);
  const media = partAt(described.end);
  return {
    metadata: JSON.parse(described.content.toString('utf8')) as {
      name?: string;
      contentType?: string;
      crc32c?: string;
    },
    media: Buffer.from(media.content),
    contentType: /content-type: *(.+)/i.exec(media.headers)?.[1]?.trim() ?? '',
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
