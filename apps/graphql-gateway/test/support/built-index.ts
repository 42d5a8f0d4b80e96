// An index built as the gateway builds it, without a database: from rows in PostgreSQL's binary COPY format, cut
// anywhere.
import type { FilterRecord } from '@tradewind/filters';
import { BitsetIndex } from '../../src/filter-index/bitset-index.js';
import { CopyRowsReader } from '../../src/filter-index/copy-rows-reader.js';
import { IndexBuilder } from '../../src/filter-index/index-builder.js';
import { companyColumns } from '../../src/filter-index/indexed-columns.js';
import { MemoryBudget } from '../../src/filter-index/memory-budget.js';

export function builtFrom(
  rows: readonly (readonly [id: bigint, record: FilterRecord])[],
  bytesMax = Number.MAX_SAFE_INTEGER,
): BitsetIndex {
  const builder = new IndexBuilder(companyColumns, rows.length, new MemoryBudget(bytesMax));
  const reader = new CopyRowsReader((row) => builder.add(row));
  const bytes = copyBytes(rows);
  // Pieces of 1 to 997 bytes, so that cuts fall into every part of a row.
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 31) % 998 || 1) {
    reader.push(bytes.subarray(at, at + size));
  }
  reader.end();
  return new BitsetIndex(builder.finish());
}

function copyBytes(rows: readonly (readonly [id: bigint, record: FilterRecord])[]): Buffer {
  const { values, lists, numbers } = companyColumns;
  const parts: Buffer[] = [Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)];
  for (const [id, record] of rows) {
    parts.push(int16(1 + values.length + lists.length + numbers.length), field(int64(id)));
    for (const name of values) parts.push(integerField(record[name]));
    for (const name of lists) parts.push(field(arrayOf(record[name] as readonly number[])));
    for (const name of numbers) parts.push(integerField(record[name]));
  }
  return Buffer.concat([...parts, int16(-1)]);
}

function integerField(value: unknown): Buffer {
  return value === null ? int32(-1) : field(int64(BigInt(value as string | number)));
}

function field(content: Buffer): Buffer {
  return Buffer.concat([int32(content.length), content]);
}

function arrayOf(elements: readonly number[]): Buffer {
  const bigintOid = 20;
  if (elements.length === 0) return Buffer.concat([int32(0), int32(0), int32(bigintOid)]);
  return Buffer.concat([
    ...[1, 0, bigintOid, elements.length, 1].map(int32),
    ...elements.map((element) => field(int64(BigInt(element)))),
  ]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}
