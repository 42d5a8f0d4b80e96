// `index build` of all entities takes hours at hundreds of millions of records. It keeps in OpenSearch which of them
// are left, so that the same command after a stop does not begin again with those it has finished.
import type { Client } from '@opensearch-project/opensearch';
import type { Entity } from '../filter-engine.port.js';
import { indexedEntities } from '../sorted-columns.js';
import { buildsIndexOf } from './search-index.js';

/** Whoever comes back later wants new indexes, and not those of that day. */
const forgottenAfterMs = 24 * 3_600_000;

const id = 'run';

interface KeptRun {
  left: Entity[];
  /** When the last entity was finished, or the run began; milliseconds since 1970. */
  atMs: number;
}

export class BuildRun {
  private constructor(
    private readonly client: Client,
    private readonly prefix: string,
    /** What is to be built, in this order. */
    readonly left: readonly Entity[],
  ) {}

  /** Goes on with the run that was stopped within a day, or begins a new one. */
  static async open(client: Client, prefix: string): Promise<BuildRun> {
    const { body } = await client.get({ index: buildsIndexOf(prefix), id }, { ignore: [404] });
    const kept = (body as { _source?: KeptRun })._source;
    const isRecent = kept !== undefined && Date.now() - kept.atMs < forgottenAfterMs;
    const left = isRecent ? indexedEntities.filter((entity) => kept.left.includes(entity)) : [];
    return new BuildRun(client, prefix, left.length > 0 ? left : indexedEntities);
  }

  /** To be called after each of `left`, in its order. */
  async finished(entity: Entity): Promise<void> {
    const left = this.left.slice(this.left.indexOf(entity) + 1);
    const body: KeptRun = { left, atMs: Date.now() };
    await this.client.index({ index: buildsIndexOf(this.prefix), id, body });
  }
}
