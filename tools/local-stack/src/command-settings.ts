// Operator commands (`node apps/identity/dist/main.js user list`) work on what their settings say. Each service's settings
// lie in the data folder for them, in the form of Node's --env-file, since some are secrets that were made at the first start.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EnvironmentContext, serviceEnvironment, serviceNames } from './services.js';

/** What a command takes from its caller, and what belongs to the serving process alone. */
const leftOut = new Set(['PATH', 'HOME', 'HOST', 'PORT', 'METRICS_PORT']);

export function writeCommandSettings(context: EnvironmentContext): void {
  const folder = join(context.settings.dataDir, 'settings');
  mkdirSync(folder, { recursive: true });
  for (const name of serviceNames) {
    const settings = { ...serviceEnvironment(name, context), LOG_LEVEL: 'warn', MIGRATE_ON_START: 'false' };
    writeFileSync(join(folder, `${name}.env`), envFile(settings), { mode: 0o600 });
  }
}

function envFile(settings: Record<string, string>): string {
  const lines = Object.entries(settings).filter(([name]) => !leftOut.has(name));
  // In single quotes nothing has a meaning; a connection string may hold a #.
  return lines.map(([name, value]) => `${name}='${value}'\n`).join('');
}
