// What must hold of the data folder before anything starts. Files appear whole or not at all when this program writes
// them, so a damaged one was changed by something else. Each fault is named with what to do about it.
import { accessSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['logs', 'settings', 'objects', 'compile-cache'];
const files = ['secrets.json', 'sample-data.json', 'provider-simulator.jsonl', 'platform.lock'];

/**
 * Makes the data folder when it is missing. Throws one message that names everything in it that cannot be used, and one
 * when its database is gone. A new one would have neither accounts nor data.
 */
export function prepareDataFolder(dataDir: string, { isDatabaseEmbedded }: { isDatabaseEmbedded: boolean }): void {
  const faults = faultsOf(dataDir);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const database = join(dataDir, 'postgres');
  if (isDatabaseEmbedded && existsSync(join(dataDir, 'sample-data.json')) && !existsSync(database))
    throw new Error(`${database} is missing, and all data with it. ${restoreAdvice(dataDir)}`);
}

/** Whether a platform has kept data here. Without it, every file may be made again. */
export function hasData(dataDir: string): boolean {
  return ['postgres', 'sample-data.json'].some((name) => existsSync(join(dataDir, name)));
}

/** What to do when a file or folder that cannot be made again is damaged. */
export function restoreAdvice(dataDir: string): string {
  return `Restore it from a backup, or delete ${dataDir} to start with new sample data: everything in it is lost then.`;
}

function faultsOf(dataDir: string): string[] {
  try {
    mkdirSync(join(dataDir, 'logs'), { recursive: true });
  } catch (error) {
    const reason = fileFault(dataDir, 'folder') ?? fileFault(join(dataDir, 'logs'), 'folder') ?? messageOf(error);
    return [`${reason}. Repair it, or set DATA_DIR to another folder.`];
  }
  const inFolders = ['logs', 'settings'].flatMap((folder) =>
    fileFault(join(dataDir, folder), 'folder') ? [] : list(join(dataDir, folder)).map((file) => join(folder, file)),
  );
  return [
    ...folders.map((folder) => fileFault(join(dataDir, folder), 'folder')),
    ...[...files, ...inFolders].map((file) => fileFault(join(dataDir, file), 'file')),
  ].flatMap((fault) => (fault === undefined ? [] : [`${fault}. Move it away or give it back its permissions.`]));
}

const list = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** What is wrong with a file or folder; undefined when it is missing or usable. */
function fileFault(path: string, kind: 'file' | 'folder'): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return undefined;
    if (found.isDirectory() !== (kind === 'folder')) return `${path} is not a ${kind}`;
    accessSync(path, constants.R_OK | constants.W_OK | (kind === 'folder' ? constants.X_OK : 0));
    return undefined;
  } catch (error) {
    return `${path} cannot be read and written (${(error as NodeJS.ErrnoException).code})`;
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
