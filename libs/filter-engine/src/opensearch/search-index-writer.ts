// Writes one index. Every document has a version that its snapshot gives it, and OpenSearch keeps the newer one. So a
// step may be repeated, and a request that was given up does no harm when it arrives late.
import type { Client } from '@opensearch-project/opensearch';
import type { Entity } from '../filter-engine.port.js';
import type { RecordDocument } from './changed-documents.js';
import { least, type Mark, markDocument, markId, sourcesOf, type Versions } from './search-index.js';

/** OpenSearch refuses a write, or part of one. */
export class RefusedWrite extends Error {}

/** Candidates for the routing of marks; a hundred shards are found within some hundreds. */
const routingsMax = 10_000;

/** A request of 5 MB is quick, and far below the limit of 100 MB. */
const requestCharsMax = 5_000_000;

interface BulkItem {
  status: number;
  error?: unknown;
}

export class SearchIndexWriter {
  private constructor(
    private readonly client: Client,
    readonly index: string,
    private readonly entity: Entity,
    private readonly routings: readonly string[],
  ) {}

  /** @throws when there is no such index */
  static async open(client: Client, index: string, entity: Entity): Promise<SearchIndexWriter> {
    const routings = new Map<number, string>();
    let shardCount = 1;
    for (let candidate = 0; routings.size < shardCount && candidate < routingsMax; candidate++) {
      if (candidate === 0) {
        const { body } = await client.indices.getSettings({ index });
        const settings = Object.values(body)[0] as { settings?: { index?: { number_of_shards?: string } } };
        shardCount = Number(settings.settings?.index?.number_of_shards);
      }
      const routing = String(candidate);
      const { body } = await client.searchShards({ index, routing });
      const shard = body.shards[0]?.[0]?.shard;
      if (shard !== undefined && !routings.has(shard)) routings.set(shard, routing);
    }
    if (routings.size !== shardCount) throw new Error(`${index} has ${shardCount} shards, but not all can be reached`);
    return new SearchIndexWriter(client, index, entity, [...routings.values()]);
  }

  /**
   * All changes up to these are written; undefined when a mark is missing, as in an index with another schema.
   * It reads what is acknowledged, not what searches see.
   */
  async writtenVersions(): Promise<Versions | undefined> {
    const { client, index, entity, routings } = this;
    const sources = sourcesOf(entity);
    const docs = sources.flatMap((source) =>
      routings.map((routing) => ({ _id: markId(entity, { kind: 'from', source, routing }), routing })),
    );
    const { body } = await client.mget({ index, body: { docs } });
    const found = body.docs as unknown as { found?: boolean; _version?: number }[];
    if (!found.every((each) => each.found)) return undefined;
    const versions = found.map(({ _version }) => BigInt(_version!));
    return sources.map((_, place) => least(versions.slice(place * routings.length, (place + 1) * routings.length)));
  }

  /**
   * Writes all changes up to `upTo`, with documents of the snapshot at `versions`.
   * @throws RefusedWrite when any part was not written; then the whole has to be repeated
   */
  async apply({
    upTo,
    versions,
    documents,
  }: {
    upTo: Versions;
    versions: Versions;
    documents: readonly RecordDocument[];
  }) {
    await this.mark('to', versions);
    await this.write(documents, versions);
    await this.mark('from', upTo);
  }

  async mark(kind: Mark['kind'], versions: Versions): Promise<void> {
    const { entity, routings } = this;
    const lines = sourcesOf(entity).flatMap((source, place) => {
      const version = versions[place]!;
      return routings.map((routing) => {
        const mark = { kind, source, routing };
        const action = { _id: markId(entity, mark), routing, version: Number(version), version_type: 'external_gte' };
        return `${JSON.stringify({ index: action })}\n${markDocument(entity, mark, version)}\n`;
      });
    });
    await this.send(lines.join(''));
  }

  async write(documents: readonly RecordDocument[], versions: Versions): Promise<void> {
    // Snapshots follow each other, and none has an older version of any source than the one before. So the sum is a
    // version of documents, and a newer snapshot with another version of any source has a larger one.
    const version = versions.reduce((sum, each) => sum + each, 0n);
    const versioned = `"version":${version},"version_type":"external_gte"`;
    let text = '';
    for (const { id, document } of documents) {
      text +=
        document === null
          ? `{"delete":{"_id":"${id}",${versioned}}}\n`
          : `{"index":{"_id":"${id}",${versioned}}}\n${document}\n`;
      if (text.length < requestCharsMax) continue;
      await this.send(text);
      text = '';
    }
    if (text !== '') await this.send(text);
  }

  private async send(text: string): Promise<void> {
    // The alias is made with the index. Without it, a lost index would be made again with any mapping.
    const { body } = await this.client.bulk({
      index: writeAliasOf(this.index),
      require_alias: true,
      filter_path: ['errors', 'items.*.status', 'items.*.error.type', 'items.*.error.reason'],
      body: text as never,
    });
    if (!body.errors) return;
    const items = body.items.flatMap((item) => Object.values(item)) as unknown as BulkItem[];
    // 409: a newer version is there. 404: what is deleted is not there.
    const refused = items.find(({ status }) => status >= 300 && status !== 409 && status !== 404);
    const isLost = items.find(({ status, error }) => status === 404 && error !== undefined);
    const fault = refused ?? isLost;
    if (fault) throw new RefusedWrite(`OpenSearch refused a write to ${this.index}: ${JSON.stringify(fault)}`);
  }
}

/** Only writes use it. */
export function writeAliasOf(index: string): string {
  return `${index}-write`;
}
