// Which records a comparison of index and PostgreSQL looks at: all, or a random sample. The gaps between ids belong to
// the ranges, so that records are found that only the index has.
import type { Entity } from '../filter-engine.port.js';
import { estimatedCount, type IdRange, type Queryable } from './changed-documents.js';

/** Ids from 1 to the largest of PostgreSQL. */
export const everyId: IdRange = { first: 1n, last: 2n ** 63n - 1n };

/** One comparison keeps the feeder waiting for about a tenth of a second. */
const recordsPerRange = 1_000;
/** A sample of few records comes from many places. */
const sampledRangesMin = 20;

/** All records, in ranges that follow each other. */
export async function* allRanges(db: Queryable, entity: Entity): AsyncGenerator<IdRange> {
  for (let first = everyId.first; ;) {
    const { last, isLast } = await rangeFrom(db, entity, first, recordsPerRange);
    yield { first, last };
    if (isLast) return;
    first = last + 1n;
  }
}

/** Random ranges with about `sample` records in all, or all ranges when there are no more. Some records come twice. */
export async function* sampledRanges(db: Queryable, entity: Entity, sample: number): AsyncGenerator<IdRange> {
  if (sample >= (await estimatedCount(db, entity))) {
    yield* allRanges(db, entity);
    return;
  }
  const { rows } = await db.query<{ least: string | null; most: string | null }>(
    `select min(id)::text as least, max(id)::text as most from ${entity}`,
  );
  const [least, most] = [BigInt(rows[0]!.least ?? 1), BigInt(rows[0]!.most ?? 1)];
  const records = Math.ceil(Math.min(recordsPerRange, sample / sampledRangesMin));
  for (let taken = 0; taken < sample; taken += records) {
    const first = least + ((most - least) * BigInt(Math.floor(Math.random() * 2 ** 32))) / 2n ** 32n;
    const { last } = await rangeFrom(db, entity, first, records);
    yield { first, last };
  }
}

/** The range that begins with an id and holds this many records, or all that are left. */
async function rangeFrom(db: Queryable, entity: Entity, first: bigint, records: number) {
  const { rows } = await db.query<{ id: string }>(
    `select id::text as id from ${entity} where id >= $1::bigint order by id offset $2 limit 1`,
    [String(first), records - 1],
  );
  const isLast = rows.length === 0;
  return { last: isLast ? everyId.last : BigInt(rows[0]!.id), isLast };
}
