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
}

/** File that Node watches for a service. */
export const stampOf = (dataDir: string, name: ServiceName): string => join(dataDir, 'reload', name);

const isTest = (path: string) => /[.-]spec\.ts$/.test(path);

export class SourceWatcher {
  private constructor(private readonly watcher: FSWatcher) {}

  /** The stamps exist once it returns; resolves when every later change is seen. */
  static async start({ rootDir, dataDir, names }: WatchedSources): Promise<SourceWatcher> {
    const foldersOf = new Map(
      names.map((name) => [name, sourceFolders(rootDir, name).map((folder) => join(rootDir, folder) + sep)]),
    );
    const stamp = (name: ServiceName) => writeFileSync(stampOf(dataDir, name), new Date().toISOString());
    for (const name of names) {
      mkdirSync(dirname(stampOf(dataDir, name)), { recursive: true });
      stamp(name);
    }
    const watcher = watch([...new Set([...foldersOf.values()].flat())], { ignoreInitial: true, ignored: isTest });
    watcher.on('all', (event, path) => {
      if (event === 'addDir' || event === 'unlinkDir') return;
      for (const [name, folders] of foldersOf) if (folders.some((folder) => path.startsWith(folder))) stamp(name);
    });
    await new Promise<void>((resolve, reject) => watcher.once('ready', resolve).once('error', reject));
    return new SourceWatcher(watcher);
  }

  async stop(): Promise<void> {
    await this.watcher.close();
  }
}
