// Many companies quickly: a quarter of a million from the seed, then copies of them under further ids, each with
// figures of its own. The computed search columns are copied as they are, because computing them takes most of a load;
// that is why such a database is for benchmarks only.
import { execFileSync } from 'node:child_process';
import type pg from 'pg';

const seedMain = new URL('../../seed/dist/seed.js', import.meta.url);
const rowsPerCopy = 250_000;
const generated = ['name_normalised', 'search'];
// No structured filter reads them, and the words of ten million rows take as long to index as all the rest.
const leftOut = ['company_name_normalised', 'company_search'];

/** Brings the table up to about `rows` companies, and its indexes after them. A run that was cut off continues. */
export async function loadCompanies(
  sql: pg.Pool,
  { databaseUrl, rows, log }: { databaseUrl: string; rows: number; log: (line: string) => void },
): Promise<void> {
  const seeded = Math.min(rows, rowsPerCopy);
  execFileSync(process.execPath, [seedMain.pathname, '--companies', String(seeded)], {
    env: { DATABASE_URL: databaseUrl, PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const copies = Math.ceil(rows / rowsPerCopy);
  const done = await copiesIn(sql, seeded);
  if (done < copies) await makeCopies(sql, { seeded, from: done, to: copies, log });
  await restoreIndexes(sql, log);
}

async function makeCopies(
  sql: pg.Pool,
  { seeded, from, to, log }: { seeded: number; from: number; to: number; log: (line: string) => void },
): Promise<void> {
  await suspendIndexes(sql);
  for (const column of generated)
    await sql.query(`alter table company alter column ${column} drop expression if exists`);
  await sql.query('alter table company set unlogged');
  const { rows: found } = await sql.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'company'::regclass and attnum > 0 and not attisdropped`,
  );
  const names = found.map(({ name }) => name);
  const firstId = await lowestId(sql);
  for (let copy = from; copy < to; copy++) {
    const selected = names.map((name) => copied(name, copy * seeded));
    await sql.query(
      `insert into company (${names.join(', ')}) select ${selected.join(', ')} from company where id < $1 order by id`,
      [String(firstId + BigInt(seeded))],
    );
    log(`${(copy + 1) * seeded} companies`);
  }
}

function copied(name: string, shift: number): string {
  if (name === 'id') return `id + ${shift}`;
  if (name === 'revenue_amount') return '(revenue_amount * (0.8 + 0.4 * random()))::bigint';
  if (name === 'number_of_employees') return 'ceil(number_of_employees * (0.8 + 0.4 * random()))::bigint';
  return name;
}

async function lowestId(sql: pg.Pool): Promise<bigint> {
  const { rows } = await sql.query<{ id: string }>('select min(id) as id from company');
  return BigInt(rows[0]!.id);
}

async function copiesIn(sql: pg.Pool, seeded: number): Promise<number> {
  const { rows } = await sql.query<{ span: string }>('select max(id) - min(id) + 1 as span from company');
  return Number(rows[0]!.span) / seeded;
}

async function suspendIndexes(sql: pg.Pool): Promise<void> {
  await sql.query('create table if not exists bench_index (name text primary key, definition text not null)');
  await sql.query(
    `insert into bench_index select relname, pg_get_indexdef(oid) from pg_class
     where oid in (select indexrelid from pg_index where indrelid = 'company'::regclass and not indisprimary)
     on conflict do nothing`,
  );
  const { rows } = await sql.query<{ name: string }>('select name from bench_index');
  for (const { name } of rows) await sql.query(`drop index if exists ${name}`);
  await sql.query('delete from bench_index where name = any($1)', [leftOut]);
}

async function restoreIndexes(sql: pg.Pool, log: (line: string) => void): Promise<void> {
  await sql.query('create table if not exists bench_index (name text primary key, definition text not null)');
  const { rows } = await sql.query<{ name: string; definition: string }>('select * from bench_index order by name');
  const client = await sql.connect();
  try {
    await client.query(`set maintenance_work_mem = '1GB'`);
    for (const { name, definition } of rows) {
      log(`building ${name}`);
      // The server may have finished what a killed run began.
      await client.query(definition.replace('CREATE INDEX ', 'CREATE INDEX IF NOT EXISTS '));
      await client.query('delete from bench_index where name = $1', [name]);
    }
    if (rows.length > 0) await client.query('vacuum (analyze) company');
  } finally {
    client.release();
  }
}
