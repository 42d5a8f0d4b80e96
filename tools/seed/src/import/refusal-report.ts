// The list of refused rows: CSV with the line in the file, the id as written, and every reason.
import { closeSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';

export interface RefusedRow {
  line: number;
  id: string;
  reasons: readonly string[];
}

const header = 'line,id,reasons\n';

export class RefusalReport {
  private descriptor: number | undefined;

  /** `bytes` is the length up to which an interrupted run is certain; whatever follows is cut off. */
  constructor(
    private readonly path: string,
    private bytes: number,
  ) {
    if (bytes === 0) rmSync(path, { force: true });
    else this.open();
  }

  /** Writes the rows to the disk and returns the new length of the report, in bytes. */
  append(rows: readonly RefusedRow[]): number {
    if (rows.length === 0) return this.bytes;
    const lines = rows.map(({ line, id, reasons }) => `${line},${quoted(id)},${quoted(reasons.join('; '))}\n`);
    const text = (this.bytes === 0 ? header : '') + lines.join('');
    const descriptor = this.open();
    this.bytes += writeSync(descriptor, text, this.bytes);
    fsyncSync(descriptor);
    return this.bytes;
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private open(): number {
    if (this.descriptor !== undefined) return this.descriptor;
    this.descriptor = openSync(this.path, this.bytes === 0 ? 'w' : 'r+');
    ftruncateSync(this.descriptor, this.bytes);
    return this.descriptor;
  }
}

function quoted(cell: string): string {
  return /[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
