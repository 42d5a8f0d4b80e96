// Migrations on a database in use. Every step forward meets rows that its predecessor's release has written, a reader
// and a writer, and a second process that migrates as well.
import type pg from 'pg';
import { createTestDatabase } from './test-database.js';
import { testPool } from './test-pool.js';

export interface MigrationCheck<M extends { name: string }> {
  schema: string;
  migrations: readonly M[];
  /** Of service-kit, which this lib does not import. */
  migrateDatabase: (
    config: { DATABASE_URL: string; DATABASE_SCHEMA: string },
    migrations: readonly M[],
  ) => Promise<string[]>;
  /** Statements that insert rows once the migration of this name is applied, and before the next one is. */
  rows: Readonly<Record<string, string>>;
  /** Whether a line of the catalog exists because of rows: partitions, for example. */
  isMadeByRows?: (line: string) => boolean;
}

/** No reader or writer waits longer for a migration, milliseconds; it gives way after a second. */
const waitMsMax = 5000;
/** Lost races, which services retry. */
const retried = ['40001', '40P01'];
/** A trigger refuses the change, as on tables to which rows are only added. */
const refusedByTrigger = 'P0001';

/**
 * What is wrong with the migrations of a service; an empty list when nothing is. A filled database is migrated step by
 * step under traffic. Then it has the schema of a fresh one, has lost no row, and is changed by nothing that runs
 * again.
 */
export async function migrationFaults<M extends { name: string }>(check: MigrationCheck<M>): Promise<string[]> {
  const { schema, migrations, rows, isMadeByRows = () => false } = check;
  const migrate = (url: string, steps = migrations.length) =>
    check.migrateDatabase({ DATABASE_URL: url, DATABASE_SCHEMA: schema }, migrations.slice(0, steps));
  const names = migrations.map(({ name }) => name);
  const faults = Object.keys(rows)
    .filter((name) => !names.includes(name))
    .map((name) => `there is no migration ${name} to add rows after`);
  const [fresh, filled] = [await createTestDatabase(), await createTestDatabase()];
  const poolOf = (url: string, max: number) =>
    testPool({ connectionString: url, options: `-c search_path=${schema}`, max });
  const [freshPool, pool] = [poolOf(fresh.url, 1), poolOf(filled.url, 4)];
  try {
    for (let step = 1; step <= migrations.length; step += 1) {
      const name = names[step - 1]!;
      const stepFaults = await faultsOfStep(name, pool, () => migrate(filled.url, step));
      faults.push(...stepFaults.map((fault) => `${name}: ${fault}`));
      await pool.query(rows[name] ?? 'select');
    }
    await migrate(fresh.url);
    const catalogs = { fresh: await catalogOf(freshPool), migrated: await catalogOf(pool) };
    const lines = { fresh: new Set(catalogs.fresh), migrated: new Set(catalogs.migrated) };
    faults.push(
      ...catalogs.fresh.filter((line) => !lines.migrated.has(line)).map((line) => `only on a fresh database: ${line}`),
      ...catalogs.migrated
        .filter((line) => !lines.fresh.has(line) && !isMadeByRows(line))
        .map((line) => `only on a migrated database: ${line}`),
    );
    const again = await migrate(filled.url);
    if (again.length > 0) faults.push(`applied twice: ${again.join(', ')}`);
    if (String(await catalogOf(pool)) !== String(catalogs.migrated)) faults.push('changed by applying nothing');
    faults.push(...(await triggersOnAForeignPath(pool)));
    for (const [table, count] of await countsOf(pool)) {
      if (count === 0) faults.push(`no rows in ${table}: "rows" must have some for each table`);
    }
    return faults;
  } finally {
    await Promise.all([freshPool.end(), pool.end()]);
    await Promise.all([fresh.drop(), filled.drop()]);
  }
}

/** Takes one step, by two processes at once, while others read and write. */
async function faultsOfStep(name: string, pool: pg.Pool, migrate: () => Promise<string[]>): Promise<string[]> {
  const before = await countsOf(pool);
  const traffic = await startTraffic(pool, [...before.keys()]);
  const applied = await Promise.all([migrate(), migrate()]);
  const faults = await traffic.stop();
  if (applied.flat().join() !== name) faults.push(`two processes applied ${JSON.stringify(applied)}`);
  const after = await countsOf(pool);
  for (const [table, count] of before) {
    const left = after.get(table);
    if (left !== undefined && left < count) faults.push(`${table} had ${count} rows and has ${left}`);
  }
  return faults;
}

/** Reads and writes the tables until it is stopped; then answers what went wrong. */
async function startTraffic(pool: pg.Pool, tables: readonly string[]) {
  const faults = new Set<string>();
  let isStopping = false;
  const run = async (text: string) => {
    const startedMs = performance.now();
    try {
      await pool.query(text);
    } catch (error) {
      const { code = '', message } = error as pg.DatabaseError;
      if (![...retried, refusedByTrigger].includes(code)) faults.add(`${text}: ${code} ${message}`);
    }
    const waitMs = Math.round(performance.now() - startedMs);
    if (waitMs > waitMsMax) faults.add(`${text} took ${waitMs} ms`);
  };
  const repeat = async (statements: readonly string[]) => {
    while (!isStopping && statements.length > 0) for (const text of statements) await run(text);
  };
  const reads = tables.map((table) => `select * from ${table} limit 10`);
  const writes = await writesOf(pool, tables);
  const loops = [repeat(reads), repeat(writes)];
  return {
    stop: async () => {
      isStopping = true;
      await Promise.all(loops);
      return [...faults];
    },
  };
}

/** A statement for each table that has a column to write: it changes no value, and all that depends on the row runs. */
async function writesOf(pool: pg.Pool, tables: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ table: string; column: string }>(
    `select distinct on (attrelid) attrelid::regclass::text as "table", quote_ident(attname) as "column"
       from pg_attribute where attrelid = any ($1::regclass[]) and attnum > 0 and not attisdropped
        and attidentity = '' and attgenerated = '' order by attrelid, attnum`,
    [tables],
  );
  return rows.map(
    ({ table, column }) =>
      `update ${table} set ${column} = ${column} where (tableoid, ctid) = (select tableoid, ctid from ${table} limit 1)`,
  );
}

/** Rows by table, without the record of migrations. */
async function countsOf(pool: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ table: string }>(
    `select oid::regclass::text as "table" from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> 'migration' order by relname`,
  );
  const counts = new Map<string, number>();
  for (const { table } of rows) {
    const [counted] = (await pool.query<{ count: number }>(`select count(*)::int as count from ${table}`)).rows;
    counts.set(table, counted!.count);
  }
  return counts;
}

/** Functions of triggers that find their tables only if the writer has the search path of the service. */
async function triggersOnAForeignPath(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select proname as name from pg_proc
      where pronamespace = current_schema()::regnamespace and prorettype = 'trigger'::regtype
        and prosrc ~* '\\m(select|insert|update|delete|perform)\\M'
        and not exists (select from unnest(proconfig) as setting where setting like 'search_path=%')
      order by 1`,
  );
  return rows.map(({ name }) => `the trigger function ${name} has no search path of its own`);
}

/** Everything in the schema, a line for each, in order. */
async function catalogOf(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(
    `with relation as (select * from pg_class where relnamespace = current_schema()::regnamespace)
     select concat_ws(' ', 'relation', relkind, relname, relpersistence, reloptions::text, pg_get_partkeydef(oid)) as line
       from relation
     union all
     select concat_ws(' ', 'column', r.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
                      case when a.attnotnull then 'not null' end, a.attidentity, a.attgenerated, a.attstorage,
                      a.attstattarget, a.attcollation::regcollation::text, pg_get_expr(d.adbin, d.adrelid))
       from relation r join pg_attribute a on a.attrelid = r.oid left join pg_attrdef d on (d.adrelid, d.adnum) = (r.oid, a.attnum)
      where a.attnum > 0 and not a.attisdropped and r.relkind in ('r', 'p', 'v', 'm')
     union all
     select concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), i.indisvalid) from relation r join pg_index i on i.indrelid = r.oid
     union all
     select concat_ws(' ', 'constraint', r.relname, c.conname, pg_get_constraintdef(c.oid), c.convalidated)
       from relation r join pg_constraint c on c.conrelid = r.oid
     union all
     select concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid), t.tgenabled) from relation r join pg_trigger t on t.tgrelid = r.oid
      where not t.tgisinternal
     union all
     select concat_ws(' ', 'view', relname, pg_get_viewdef(oid)) from relation where relkind in ('v', 'm')
     union all
     select concat_ws(' ', 'sequence', s.seqrelid::regclass, s.seqtypid::regtype, s.seqincrement, s.seqcycle)
       from pg_sequence s join relation r on r.oid = s.seqrelid
     union all
     select concat_ws(' ', 'function', pg_get_functiondef(oid)) from pg_proc
      where pronamespace = current_schema()::regnamespace and prokind in ('f', 'p')
     union all
     select concat_ws(' ', 'type', typname, typtype) from pg_type where typnamespace = current_schema()::regnamespace and typrelid = 0
        and typelem = 0
     order by 1`,
  );
  return rows.map(({ line }) => line);
}
