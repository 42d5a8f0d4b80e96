// The output of a process in a file of bounded size: the full one becomes `<file>.1`, in the place of the one before.
import { appendFileSync, renameSync, statSync } from 'node:fs';

const defaultBytesMax = 20_000_000;

export class BoundedLog {
  private bytes: number;

  constructor(
    private readonly file: string,
    private readonly bytesMax = defaultBytesMax,
  ) {
    this.bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  }

  write(chunk: Buffer): void {
    if (this.bytes + chunk.length > this.bytesMax && this.bytes > 0) {
      renameSync(this.file, `${this.file}.1`);
      this.bytes = 0;
    }
    appendFileSync(this.file, chunk);
    this.bytes += chunk.length;
  }
}
