// A new name in a folder survives a crash once the folder is flushed. Flushing is slow, but one flush covers every name
// that was there when it began. So all who wait for a folder share the next flush.
import { open } from 'node:fs/promises';

export class FolderFlush {
  /** Flushes that have not begun, by folder. They cover what is linked before they begin. */
  readonly #next = new Map<string, Promise<void>>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #flush: (folder: string) => Promise<void>;

  /** @param flush for tests; by default the folder's fsync */
  constructor(flush: (folder: string) => Promise<void> = flushFolder) {
    this.#flush = flush;
  }

  /** Resolves after a flush that began after this call; rejects with its error, for all who share it. */
  covering(folder: string): Promise<void> {
    const next = this.#next.get(folder);
    if (next) return next;
    const flush = this.#after(this.#underWay.get(folder), folder);
    this.#next.set(folder, flush);
    return flush;
  }

  async #after(earlier: Promise<void> | undefined, folder: string): Promise<void> {
    // A failed flush is reported to those who waited for it, not here. Without an earlier one, all who ask in the same
    // turn of the event loop share this one.
    await earlier?.catch(() => undefined);
    await Promise.resolve();
    const flush = this.#flush(folder);
    this.#next.delete(folder);
    this.#underWay.set(folder, flush);
    try {
      await flush;
    } finally {
      if (this.#underWay.get(folder) === flush) this.#underWay.delete(folder);
    }
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
