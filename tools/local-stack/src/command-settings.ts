// Operator commands such as `node apps/identity/dist/main.js user list` need the settings of their service. These are
// in the data folder, as files for Node's --env-file, because some are secrets that the first start made.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from './ports.js';
import { type EnvironmentContext, serviceEnvironment } from './services.js';

/** A command takes these from its caller, or does not serve and needs none. */
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
