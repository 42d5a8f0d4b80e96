// `npm run dev`: sees which services a saved file belongs to, and writes their stamps. Node watches the stamp of a
// service and starts it again. It does not watch the sources itself: on Linux it no longer sees a file once that was
// replaced, as git and many editors do.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { ServiceName } from './ports.js';
import { sourceFolders } from './reload.js';

export interface WatchedSources {
  rootDir: string;
  dataDir: string;
  /** Services that run from source. */
  names: readonly ServiceName[];
  /** Takes what goes wrong later, for a person to read. */
  report: (line: string) => void;
}

/** File that Node watches for a service. */
export const stampOf = (dataDir: string, name: ServiceName): string => join(dataDir, 'reload', name);

const isTest = (path: string) => /[.-]spec\.ts$/.test(path);

export class SourceWatcher {
  private constructor(private readonly watcher: FSWatcher) {}

  /**
   * Makes the stamps, and resolves when every later change is seen.
   * @throws when the machine cannot watch so many folders
   */
  static async start({ rootDir, dataDir, names, report }: WatchedSources): Promise<SourceWatcher> {
    const foldersOf = new Map(
      names.map((name) => [name, sourceFolders(rootDir, name).map((folder) => join(rootDir, folder) + sep)]),
    );
    const stamp = (name: ServiceName) => writeFileSync(stampOf(dataDir, name), new Date().toISOString());
    for (const name of names) {
      mkdirSync(dirname(stampOf(dataDir, name)), { recursive: true });
      stamp(name);
    }
    const watcher = watch([...new Set([...foldersOf.values()].flat())], { ignoreInitial: true, ignored: isTest });
    // A full disk, or too many watches, must not end the platform.
    const failed = (error: unknown) => report(`a change was not seen: ${(error as Error).message}`);
    watcher.on('all', (event, path) => {
      if (event === 'addDir' || event === 'unlinkDir') return;
      const changed = names.filter((name) => foldersOf.get(name)!.some((folder) => path.startsWith(folder)));
      try {
        for (const name of changed) stamp(name);
      } catch (error) {
        failed(error);
      }
    });
    try {
      await new Promise<void>((resolve, reject) => watcher.once('ready', resolve).once('error', reject));
    } catch (error) {
      await watcher.close();
      throw error;
    }
    watcher.on('error', failed);
    return new SourceWatcher(watcher);
  }

  async stop(): Promise<void> {
    await this.watcher.close();
  }
}
