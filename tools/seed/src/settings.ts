// The settings of the data tools. Nothing else here reads the environment.

export interface Settings {
  /** Database that holds the gateway's data tables; the local platform's unless DATABASE_URL names one. */
  databaseUrl: string;
  /** Schema of the data tables, DATABASE_SCHEMA. */
  schema: string;
  /** Database of the embedded warehouse, WAREHOUSE_DATABASE_URL; the one of the data tables unless set. */
  warehouseDatabaseUrl: string;
}

/** @throws an error that names every broken setting. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const databaseUrl = env['DATABASE_URL'] || 'postgres://postgres:postgres@127.0.0.1:4432/tradewind';
  const schema = env['DATABASE_SCHEMA'] || 'graphql_gateway';
  const faults: string[] = [];
  if (!/^postgres(ql)?:\/\//.test(databaseUrl))
    faults.push('DATABASE_URL must begin with postgres:// or postgresql://');
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) faults.push(`DATABASE_SCHEMA must be a plain name, not "${schema}"`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return { databaseUrl, schema, warehouseDatabaseUrl: env['WAREHOUSE_DATABASE_URL'] || databaseUrl };
}
