// `npm run dev`: a service runs from its TypeScript source (reload-runner.ts), and starts again when that or a lib that
// it imports is saved (source-watcher.ts).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from './ports.js';

/** Its own sources, and those of the libs that its package and theirs depend on. */
export function sourceFolders(rootDir: string, name: ServiceName): string[] {
  const folders = [`apps/${name}`];
  // Grows while it is walked.
  for (const folder of folders) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(rootDir, folder, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const dependency of Object.keys(dependencies)) {
      const lib = /^@tradewind\/(.+)$/.exec(dependency)?.[1];
      if (lib !== undefined && !folders.includes(`libs/${lib}`)) folders.push(`libs/${lib}`);
    }
  }
  return folders.map((folder) => `${folder}/src`);
}

interface LogEntry {
  level?: string;
  message?: string;
  err?: { stack?: string };
}

/** What the runner says when a change begins a reload. */
export const restarting = 'Restarting';

const noise = /^(Debugger |For help, see: https:\/\/nodejs\.org\/|$)/;

/**
 * Keeps of a service's output what a person at the terminal wants to see. That is reloads with the time they took,
 * warnings, errors, and what is not a log entry, such as a syntax error. The log file has everything.
 * @param clock milliseconds
 * @returns the text to show; undefined when there is nothing
 */
export function reloadReport(name: string, clock = () => performance.now()): (line: string) => string | undefined {
  let changedMs: number | undefined;
  return (line) => {
    if (line === restarting) {
      changedMs = clock();
      return undefined;
    }
    const entry = logEntry(line);
    if (!entry) return noise.test(line) ? undefined : `${name}: ${line}`;
    if (entry.message === 'service started' && changedMs !== undefined) {
      const seconds = ((clock() - changedMs) / 1000).toFixed(1);
      changedMs = undefined;
      return `${name} reloaded in ${seconds} s`;
    }
    if (entry.level === 'info' || entry.level === 'debug' || entry.level === 'trace') return undefined;
    return `${name}: ${entry.level} ${entry.err?.stack ?? entry.message}`;
  };
}

function logEntry(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogEntry;
  } catch {
    return undefined;
  }
}
