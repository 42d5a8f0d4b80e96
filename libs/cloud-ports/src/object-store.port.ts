/** Shorter than the interval of a readiness probe, so that each of those sees the present state. */
const writableKnownMs = 2_000;

/**
 * Write-once objects in buckets.
 * Repetition: `create` of an existing name changes nothing and returns `exists`; nothing is ever overwritten.
 * Durability: when `create` resolves the object survives a crash of the process and of the machine.
 * A create that is repeated because its answer was lost may find its own object, and returns `exists` too.
 * Concurrency: of parallel creates of one name exactly one returns `created`.
 */
export abstract class ObjectStore {
  /** What the last look at each bucket found. */
  readonly #writable = new Map<string, { until: number; result: Promise<void> }>();

  abstract create(bucket: string, name: string, body: string, contentType: string): Promise<'created' | 'exists'>;
  /** Undefined when there is no such object. */
  abstract read(bucket: string, name: string): Promise<string | undefined>;
  /** Names that begin with the prefix, in ascending order. */
  abstract list(bucket: string, prefix: string): AsyncIterable<string>;

  /**
   * Rejects unless an object could be created in the bucket now. Leaves nothing that `list` shows. The result is kept
   * for seconds, so that a page that anybody can read costs the store nothing.
   */
  assertWritable(bucket: string): Promise<void> {
    const now = performance.now();
    const known = this.#writable.get(bucket);
    if (known && now < known.until) return known.result;
    const result = this.probe(bucket);
    this.#writable.set(bucket, { until: now + writableKnownMs, result });
    return result;
  }

  /** One look: proves that an object could be created in the bucket, or rejects. */
  protected abstract probe(bucket: string): Promise<void>;

  abstract onApplicationShutdown(): Promise<void>;
}
