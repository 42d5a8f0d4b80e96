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

/**
 * The database is DATABASE_URL, else that of the local platform in DATA_DIR.
 * @throws an error that names every broken setting.
 */
export function readSettings(env: NodeJS.ProcessEnv, rootDir = checkout): Settings {
  const faults: string[] = [];
  const databaseUrl = env['DATABASE_URL'] || localDatabaseUrl(env, rootDir);
  const schema = env['DATABASE_SCHEMA'] || 'graphql_gateway';
  if (!/^postgres(ql)?:\/\//.test(databaseUrl))
    faults.push('DATABASE_URL must begin with postgres:// or postgresql://');
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) faults.push(`DATABASE_SCHEMA must be a plain name, not "${schema}"`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return { databaseUrl, schema, warehouseDatabaseUrl: env['WAREHOUSE_DATABASE_URL'] || databaseUrl };
}

function localDatabaseUrl(env: NodeJS.ProcessEnv, rootDir: string): string {
  const folder = resolve(rootDir, env['DATA_DIR'] || '.data');
  // `npm start` writes it.
  const file = join(folder, 'settings/graphql-gateway.env');
  // Not the platform of PORT_BASE, which may belong to another folder.
  if (!existsSync(file))
    throw new Error(`No platform has been started on ${folder}. Run npm start first, with the same DATA_DIR.`);
  const started = parseEnv(readFileSync(file, 'utf8'));
  // Identity listens at PORT_BASE itself.
  const identityUrl = started['IDENTITY_URL'] ?? '';
  if (!URL.canParse(identityUrl) || !started['DATABASE_URL'])
    throw new Error(`${file} is damaged: delete it, the next npm start writes it again`);
  const { port } = new URL(identityUrl);
  if (env['PORT_BASE'] && env['PORT_BASE'] !== port)
    throw new Error(
      `PORT_BASE is ${env['PORT_BASE']}, but the platform on ${folder} was started with ${port}. ` +
        'Set DATA_DIR to the folder of the other one.',
    );
  return started['DATABASE_URL'];
}
