// The settings of the data tools. Nothing else here reads the environment.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';

export interface Settings {
  /** Database that holds the gateway's data tables. */
  databaseUrl: string;
  /** Schema of the data tables, DATABASE_SCHEMA. */
  schema: string;
  /** Database of the embedded warehouse, WAREHOUSE_DATABASE_URL; the one of the data tables unless set. */
  warehouseDatabaseUrl: string;
}

const checkout = fileURLToPath(new URL('../../../', import.meta.url));

/** The embedded PostgreSQL of a platform listens this many ports above its PORT_BASE. */
const postgresOffset = 432;

/**
 * The database is DATABASE_URL, else that of the local platform in DATA_DIR, else the embedded one of PORT_BASE.
 * @throws an error that names every broken setting.
 */
export function readSettings(env: NodeJS.ProcessEnv, rootDir = checkout): Settings {
  const faults: string[] = [];
  const databaseUrl = env['DATABASE_URL'] || localDatabaseUrl(env, rootDir, faults);
  const schema = env['DATABASE_SCHEMA'] || 'graphql_gateway';
  if (!/^postgres(ql)?:\/\//.test(databaseUrl))
    faults.push('DATABASE_URL must begin with postgres:// or postgresql://');
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) faults.push(`DATABASE_SCHEMA must be a plain name, not "${schema}"`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return { databaseUrl, schema, warehouseDatabaseUrl: env['WAREHOUSE_DATABASE_URL'] || databaseUrl };
}

function localDatabaseUrl(env: NodeJS.ProcessEnv, rootDir: string, faults: string[]): string {
  const portBase = env['PORT_BASE'];
  const ofPortBase = `postgres://postgres:postgres@127.0.0.1:${Number(portBase || '4000') + postgresOffset}/tradewind`;
  // `npm start` writes it.
  const file = join(resolve(rootDir, env['DATA_DIR'] || '.data'), 'settings/graphql-gateway.env');
  if (!existsSync(file)) return ofPortBase;
  const started = parseEnv(readFileSync(file, 'utf8'));
  // Identity listens at PORT_BASE itself.
  const identityUrl = started['IDENTITY_URL'] ?? '';
  if (!URL.canParse(identityUrl) || !started['DATABASE_URL']) {
    faults.push(`${file} is damaged: delete it, the next npm start writes it again`);
    return ofPortBase;
  }
  const startedPortBase = Number(new URL(identityUrl).port);
  if (portBase && Number(portBase) !== startedPortBase) {
    const hint = 'set DATA_DIR to the folder of the other one';
    faults.push(`PORT_BASE is ${portBase}, but the platform in ${file} was started with ${startedPortBase}: ${hint}`);
  }
  return started['DATABASE_URL'];
}
