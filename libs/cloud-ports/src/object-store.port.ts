/**
 * Write-once objects in buckets.
 * Repetition: `create` of an existing name changes nothing and answers `exists`; nothing is ever overwritten.
 * Durability: when `create` resolves the object survives a crash of the process and of the machine.
 * A create that is tried again because its answer was lost may find its own object: it answers `exists` too.
 * Concurrency: of parallel creates of one name exactly one answers `created`.
 */
export abstract class ObjectStore {
  abstract create(bucket: string, name: string, body: string, contentType: string): Promise<'created' | 'exists'>;
  /** Undefined when there is no such object. */
  abstract read(bucket: string, name: string): Promise<string | undefined>;
  /** Names that begin with the prefix, in ascending order. */
  abstract list(bucket: string, prefix: string): AsyncIterable<string>;
  abstract ping(): Promise<void>;
  abstract onApplicationShutdown(): Promise<void>;
}
