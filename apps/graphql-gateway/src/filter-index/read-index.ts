// Reads the indexed columns of the whole table in one snapshot of the database and builds the index from them.
import { pipeline } from 'node:stream/promises';
import { Writable } from 'node:stream';
import type pg from 'pg';
import copyStreams from 'pg-copy-streams';
import type { IndexParts } from './bitset-index.js';
import { CopyRowsReader } from './copy-rows-reader.js';
import { IndexBuilder } from './index-builder.js';
import { columnsToRead, type IndexedColumns } from './indexed-columns.js';
import { MemoryBudget } from './memory-budget.js';
import { workingBytes } from './versioned-index.js';

export interface BuiltIndex {
  parts: IndexParts;
  /** Data version of the snapshot, digits of a bigint. */
  version: string;
  rowCount: number;
  /** Memory of the index and of its use. */
  bytes: number;
}

/**
 * @param bytesMax most memory that the build may take at any time
 * @throws IndexTooLarge
 */
export async function readIndex(client: pg.Client, columns: IndexedColumns, bytesMax: number): Promise<BuiltIndex> {
  const { table } = columns;
  await client.query('begin isolation level repeatable read read only');
  // Requests need the other processors more than a build in the background does.
  await client.query('set local max_parallel_workers_per_gather = 0');
  const { rows } = await client.query<{ version: string; count: string }>(
    `select (select version from data_version where entity = $1) as version, (select count(*) from ${table}) as count`,
    [table],
  );
  const { version } = rows[0]!;
  const rowCount = Number(rows[0]!.count);
  const budget = new MemoryBudget(bytesMax);
  budget.take(workingBytes(rowCount));
  const builder = new IndexBuilder(columns, rowCount, budget);
  const reader = new CopyRowsReader((row) => builder.add(row));
  const names = ['id', ...columnsToRead(columns)].join(', ');
  const rowsOfTable = client.query(
    copyStreams.to(`copy (select ${names} from ${table} order by id) to stdout (format binary)`),
  );
  await pipeline(
    rowsOfTable,
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        try {
          reader.push(chunk);
          done();
        } catch (error) {
          done(error as Error);
        }
      },
    }),
  );
  reader.end();
  await client.query('commit');
  return { parts: builder.finish(), version, rowCount, bytes: budget.bytes };
}

/** All buffers of the index, which can be moved to another thread without a copy. */
export function buffersOf({ ids, values, lists, numbers }: IndexParts): ArrayBuffer[] {
  const arrays = [
    ids,
    ...[...Object.values(values), ...Object.values(lists)].flatMap((sets) => [
      sets.counts,
      sets.wordStarts,
      sets.positionStarts,
      sets.words,
      sets.positions,
    ]),
    ...Object.values(numbers).flatMap((ranks) => [ranks.values, ranks.positions, ranks.words]),
  ];
  // None of them is shared: the builders allocate plain buffers.
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}
