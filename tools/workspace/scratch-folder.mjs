// The folder for what a test run writes: databases, profiles of browsers, logs. In memory where that has room, since
// PostgreSQL makes about 300 files for each of several hundred databases. A run of all tests took 1.1 GiB there.
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const prefix = 'tradewind-test-';
const gibibyte = 2 ** 30;
const freeBytesMin = 3 * gibibyte;
/** The processes of a run take about 5 GiB beside the files. */
const availableBytesMin = 10 * gibibyte;

/**
 * Makes a folder in memory, where Linux has a place for files. Deletes what runs left that failed or were killed.
 * @param {{memory?: string, availableBytes?: number, freeBytes?: number}} machine `freeBytes` are those of the folder
 * @returns {string | undefined} undefined where memory has too little room
 */
export function makeScratchFolder({
  memory = '/dev/shm',
  availableBytes = process.availableMemory(),
  freeBytes = freeBytesOf(memory),
} = {}) {
  if (freeBytes < freeBytesMin || availableBytes < availableBytesMin) return undefined;
  const names = readdirSync(memory).filter((name) => name.startsWith(prefix));
  for (const name of names) if (!isRunning(Number(name.slice(prefix.length)))) remove(join(memory, name));
  const folder = join(memory, `${prefix}${process.pid}`);
  mkdirSync(folder);
  // PostgreSQL runs as another user where the tests run as root.
  chmodSync(folder, 0o755);
  return folder;
}

function freeBytesOf(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Whether another process has this id. */
function isRunning(pid) {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It belongs to somebody else.
  }
}
