// Reads the indexed columns of a whole table in one snapshot of the database and builds the index from them.
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import copyStreams from 'pg-copy-streams';
import type { Entity } from '../filter-engine.port.js';
import { wordsFor } from './bits.js';
import type { ColumnParts } from './column-index.js';
import { columnSql, indexedColumns } from '../indexed-columns.js';
import { CopyRowsReader } from './copy-rows-reader.js';
import { selectionsMax } from './embedded-limits.js';
import { IndexBuilder, type TakeColumn } from './index-builder.js';
import { sortsTextsByBytesSql } from '../text-order.js';
import { MemoryBudget } from './memory-budget.js';
import { bytesOfLink } from './person-join.js';
import type { IndexParts } from './record-index.js';

export interface BuiltIndex {
  entity: Entity;
  parts: IndexParts;
  /** Data version of the snapshot, digits of a bigint. */
  version: string;
  rowCount: number;
  /** Memory of the index and of its use. */
  bytes: number;
  /** Whether the database has the texts in the order of their bytes, as the index does. */
  sortsTextsByBytes: boolean;
}

export interface ReadOptions {
  /** Most memory that the build may take at any time. */
  bytesMax: number;
  /** Of the rows that are read; all rows unless given. */
  ids?: readonly bigint[] | undefined;
  /** Called whenever something has come from the database. */
  onRead?: () => void;
  /** Gets each column as soon as it is finished; the result then has no columns. */
  takeColumn?: TakeColumn;
}

/** @throws IndexTooLarge */
export async function readIndex(
  client: pg.ClientBase,
  entity: Entity,
  { bytesMax, ids, onRead, takeColumn }: ReadOptions,
): Promise<BuiltIndex> {
  // COPY takes no parameters, and a bigint is nothing but digits.
  const where = ids ? `where t.id = any('{${ids.join(',')}}'::bigint[])` : '';
  await client.query('begin isolation level repeatable read read only');
  // Requests need the other processors more than a build in the background does.
  await client.query('set local max_parallel_workers_per_gather = 0');
  const { rows } = await client.query<{ version: string; count: string; sorts_by_bytes: boolean }>(
    `select (select version from data_version where entity = $1) as version, (select count(*) from ${entity} t ${where}) as count,
       ${sortsTextsByBytesSql} as sorts_by_bytes`,
    [entity],
  );
  const { version, sorts_by_bytes: sortsTextsByBytes } = rows[0]!;
  const rowCount = Number(rows[0]!.count);
  const budget = new MemoryBudget(bytesMax);
  budget.take(workingBytes(entity, rowCount));
  const columns = indexedColumns[entity];
  const builder = new IndexBuilder(columns, rowCount, budget);
  const reader = new CopyRowsReader((row) => builder.add(row));
  const listed = ['t.id', ...columns.map(columnSql)].join(', ');
  const rowsOfTable = client.query(
    copyStreams.to(`copy (select ${listed} from ${entity} t ${where} order by t.id) to stdout (format binary)`),
  );
  await pipeline(
    rowsOfTable,
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        onRead?.();
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
  const parts = builder.finish(takeColumn);
  return { entity, parts, version, rowCount, bytes: budget.bytes, sortsTextsByBytes };
}

/** Bytes that answering takes beside the parts: selections that are kept, scratch bits, and links to persons. */
function workingBytes(entity: Entity, rowCount: number): number {
  return (selectionsMax + 8) * wordsFor(rowCount) * 4 + (entity === 'contact' ? bytesOfLink * rowCount : 0);
}

/** All buffers of a column, which can be moved to another thread without a copy. */
export function buffersOf(column: ColumnParts): ArrayBuffer[] {
  const { keys, starts, postings, denseKeys, denseBits, stepBits, ranks } = column;
  const keyArrays = Object.values(keys as unknown as Record<string, Uint8Array>);
  const arrays = [...keyArrays, starts, postings, denseKeys, denseBits, stepBits, ranks];
  // None of them is shared: the builders allocate plain buffers.
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}
