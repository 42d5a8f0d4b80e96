// What the index holds of a range of records, for the comparison with PostgreSQL.
import type { Client } from '@opensearch-project/opensearch';
import type { IdRange } from './changed-documents.js';

/** The largest page that a cluster gives by default. */
const hitsPerPage = 10_000;

/** The digests of the records of a range of ids, both ends included, by id. */
export async function digestsInIndex(
  client: Client,
  index: string,
  { first, last }: IdRange,
): Promise<Map<string, bigint>> {
  const digests = new Map<string, bigint>();
  for (let from = first; ;) {
    const { body } = await client.search({
      index,
      body: {
        query: { range: { id: { gte: String(from), lte: String(last) } } },
        size: hitsPerPage,
        sort: ['id'],
        _source: false,
        stored_fields: '_none_' as never,
        docvalue_fields: ['digest'],
        track_total_hits: false,
      },
    });
    const hits = body.hits.hits as unknown as { sort: [number | bigint]; fields: { digest: [number | bigint] } }[];
    for (const { sort, fields } of hits) digests.set(String(sort[0]), BigInt(fields.digest[0]));
    if (hits.length < hitsPerPage) return digests;
    from = BigInt(hits.at(-1)!.sort[0]) + 1n;
  }
}
