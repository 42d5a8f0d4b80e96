// `npm run dev`: sees which services a saved file belongs to. Not by the watch mode of Node: on Linux it no longer sees
// a file once that was replaced, as git and many editors do.
import { join, sep } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { ServiceName } from './ports.js';
import { sourceFolders } from './reload.js';

export interface WatchedSources {
  rootDir: string;
  /** Services that run from source. */
  names: readonly ServiceName[];
  /** Takes each service that a change belongs to, once for each file. */
  changed: (name: ServiceName) => void;
  /** Takes what goes wrong later, for a person to read. */
  report: (line: string) => void;
}

const isTest = (path: string) => /[.-]spec\.ts$/.test(path);

export class SourceWatcher {
  private constructor(private readonly watcher: FSWatcher) {}

  /**
   * Resolves when every later change is seen.
   * @throws when the machine cannot watch so many folders
   */
  static async start({ rootDir, names, changed, report }: WatchedSources): Promise<SourceWatcher> {
    const foldersOf = new Map(
      names.map((name) => [name, sourceFolders(rootDir, name).map((folder) => join(rootDir, folder) + sep)]),
    );
    const watcher = watch([...new Set([...foldersOf.values()].flat())], { ignoreInitial: true, ignored: isTest });
    watcher.on('all', (event, path) => {
      if (event === 'addDir' || event === 'unlinkDir') return;
      for (const name of names) {
        if (foldersOf.get(name)!.some((folder) => path.startsWith(folder))) changed(name);
      }
    });
    try {
      await new Promise<void>((resolve, reject) => watcher.once('ready', resolve).once('error', reject));
    } catch (error) {
      await watcher.close();
      throw error;
    }
    // Too many watches must not end the platform.
    watcher.on('error', (error) => report(`a change was not seen: ${(error as Error).message}`));
    return new SourceWatcher(watcher);
  }

  async stop(): Promise<void> {
    await this.watcher.close();
  }
}
