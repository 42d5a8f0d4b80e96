// Reads PostgreSQL's binary COPY format (documentation of COPY, "Binary Format") of bigint, text, bigint[] and text[]
// columns. This is far cheaper than rows of the ordinary protocol, because it makes no object of a row.

const headerBytes = 19;
const emptyBytes = Buffer.alloc(0);

/** One row, valid until the next one is read. */
export class BinaryRow {
  buffer: Buffer = emptyBytes;
  readonly starts: number[] = [];
  /** Bytes of each field; -1 for null. */
  readonly lengths: number[] = [];

  bigint(field: number): bigint {
    return this.buffer.readBigInt64BE(this.starts[field]);
  }

  /** Where the value of a field lies, or that of each element of a list, without nulls; nothing for null. */
  eachValue(field: number, isList: boolean, visit: (buffer: Buffer, from: number, to: number) => void): void {
    const length = this.lengths[field]!;
    if (length < 0) return;
    const { buffer } = this;
    let at = this.starts[field]!;
    const end = at + length;
    if (!isList) {
      visit(buffer, at, end);
      return;
    }
    // Number of dimensions, whether there are nulls, type of the elements; then size and lower bound of each dimension.
    at += 12 + 8 * buffer.readInt32BE(at);
    while (at < end) {
      const size = buffer.readInt32BE(at);
      at += 4;
      if (size < 0) continue;
      visit(buffer, at, at + size);
      at += size;
    }
  }
}

/** Takes the stream in pieces of any size, and passes on each row. */
export class CopyRowsReader {
  private rest: Buffer = emptyBytes;
  private isPastHeader = false;
  private isAtEnd = false;
  private readonly row = new BinaryRow();

  constructor(private readonly onRow: (row: BinaryRow) => void) {}

  push(chunk: Buffer): void {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let at = 0;
    if (!this.isPastHeader) {
      if (bytes.length < headerBytes) {
        this.rest = bytes;
        return;
      }
      // Signature, flags, and an extension whose length is given.
      at = headerBytes + bytes.readInt32BE(headerBytes - 4);
      this.isPastHeader = true;
    }
    for (;;) {
      const next = this.readRow(bytes, at);
      if (next === undefined) break;
      at = next;
    }
    this.rest = bytes.subarray(at);
  }

  /** @throws if the stream ended within a row */
  end(): void {
    if (!this.isAtEnd) throw new Error('the copy of the table ended before its last row');
  }

  /** Where the next row begins; undefined when this one is not complete. */
  private readRow(bytes: Buffer, start: number): number | undefined {
    if (this.isAtEnd || start + 2 > bytes.length) return undefined;
    const fieldCount = bytes.readInt16BE(start);
    if (fieldCount < 0) {
      this.isAtEnd = true;
      return undefined;
    }
    const { row } = this;
    let at = start + 2;
    for (let field = 0; field < fieldCount; field++) {
      if (at + 4 > bytes.length) return undefined;
      const length = bytes.readInt32BE(at);
      at += 4;
      row.starts[field] = at;
      row.lengths[field] = length;
      if (length > 0) at += length;
    }
    if (at > bytes.length) return undefined;
    row.buffer = bytes;
    this.onRow(row);
    return at;
  }
}
