// The staging table of one import and what happens in it. References are checked, copied columns are filled, and the
// rest is merged into the table. One bit per column says whether the record names it.
import type pg from 'pg';
import { type Column, columnsOf, type Entity, type Row } from '../data-tables.js';
import type { ConvertedRow } from './convert-row.js';
import { copiedColumns, fillCopiedColumns, refreshCopies } from './copied-columns.js';
import { requiredColumns } from './import-fields.js';
import type { RefusedRow } from './refusal-report.js';

export class Staging {
  readonly table = 'pg_temp.staging';
  private readonly names: readonly string[];

  private constructor(
    private readonly client: pg.Client,
    private readonly entity: Entity,
    /** Columns of the COPY into the staging table. */
    readonly columns: readonly Column[],
  ) {
    this.names = columns.slice(0, -2).map(({ name }) => name);
  }

  static async create(client: pg.Client, entity: Entity): Promise<Staging> {
    const columns = await columnsOf(client, entity);
    await client.query(`
      drop table if exists pg_temp.staging;
      create temporary table staging as
        select ${columns.map(({ name }) => name).join(', ')}, 0::bigint as line, 0::bigint as present from ${entity} with no data;
      create index on pg_temp.staging (id)`);
    const more = ['line', 'present'].map((name) => ({ name, type: 'bigint' }));
    return new Staging(client, entity, [...columns, ...more]);
  }

  async clear(): Promise<void> {
    await this.client.query(`truncate ${this.table}`);
  }

  *rowsOf(rows: readonly { line: number; row: ConvertedRow }[]): Generator<Row> {
    for (const { line, row } of rows) {
      let present = 0n;
      for (const name of Object.keys(row)) {
        for (const column of [name, ...(copiedColumns[this.entity][name] ?? [])]) present |= this.bitOf(column);
      }
      yield { ...row, line, present };
    }
  }

  /**
   * Removes rows whose references lead nowhere or that lack what a new row needs, and fills the copied columns of the
   * others.
   */
  async refuseBrokenReferences(): Promise<RefusedRow[]> {
    const checks = [...this.requiredChecks(), ...referenceChecks[this.entity]];
    const { rows } = await this.client.query<{ line: string; id: string; reasons: string[] }>(`
      with broken as (${checks.join(' union all ')}),
      refused as (select line, array_agg(reason order by reason) as reasons from broken group by line)
      delete from ${this.table} staging using refused where staging.line = refused.line
      returning staging.line, staging.id, refused.reasons`);
    await fillCopiedColumns(this.client, this.entity, this.table);
    return rows.map(({ line, id, reasons }) => ({ line: Number(line), id, reasons }));
  }

  /** Inserts the new rows, updates those that differ, and brings what other tables copied from them up to date. */
  async merge(): Promise<{ inserted: number; updated: number }> {
    const columns = this.names.filter((name) => name !== 'id');
    const newValue = (name: string) =>
      `case when staging.present & ${this.bitOf(name)} <> 0 then staging.${name} else target.${name} end`;
    const current = columns.map((name) => `target.${name}`).join(', ');
    const wanted = columns.map(newValue).join(', ');
    const { rows } = await this.client.query<{ action: 'INSERT' | 'UPDATE'; id: string }>(`
      merge into ${this.entity} target using ${this.table} staging on target.id = staging.id
      when matched and (${current}) is distinct from (${wanted})
        then update set ${columns.map((name) => `${name} = ${newValue(name)}`).join(', ')}
      when not matched then insert (${this.names.join(', ')}) values (${this.names.map((name) => this.insertedValue(name)).join(', ')})
      returning merge_action() as action, target.id`);
    if (this.entity === 'contact') {
      await this.client
        .query(`update contact set emails = array_append(contact.emails, contact.email) from ${this.table} staging
        where contact.id = staging.id and contact.email is not null and contact.email <> all(contact.emails)`);
    }
    const updatedIds = rows.filter(({ action }) => action === 'UPDATE').map(({ id }) => id);
    await refreshCopies(this.client, this.entity, updatedIds);
    return { inserted: rows.length - updatedIds.length, updated: updatedIds.length };
  }

  private bitOf(column: string): bigint {
    const place = this.names.indexOf(column);
    if (place < 0) throw new Error(`The table ${this.entity} has no column ${column}`);
    return 1n << BigInt(place);
  }

  private insertedValue(name: string): string {
    const { type } = this.columns.find((column) => column.name === name)!;
    const fallback =
      requiredColumns[this.entity][name] ??
      (type.endsWith('[]') ? `'{}'` : name === 'identifiers' ? `'[]'` : undefined);
    return fallback === undefined ? `staging.${name}` : `coalesce(staging.${name}, ${fallback})`;
  }

  private requiredChecks(): string[] {
    return Object.entries(requiredColumns[this.entity])
      .filter(([, fallback]) => fallback === null)
      .map(
        ([name]) => `select line, '${name}: is missing' as reason from ${this.table} staging
          where ${name} is null and not exists (select from ${this.entity} known where known.id = staging.id)`,
      );
  }
}

/** Selects (line, reason) of staged rows that name rows of other tables which do not exist. */
const referenceChecks: Record<Entity, readonly string[]> = {
  company: [],
  person: [],
  deal: [
    unknownIds('buyer_company_ids', 'buyerCompanyIds', 'company'),
    unknownIds('seller_company_ids', 'sellerCompanyIds', 'company'),
    unknownIds('seller_person_ids', 'sellerPersonIds', 'person'),
    unknownIds('sponsored_person_ids', 'sponsoredPersonIds', 'person'),
    // One of the dates may be the stored one.
    `select line, 'endDate: ' || coalesce(staging.end_date, deal.end_date) || ' is before the start date ' || coalesce(staging.start_date, deal.start_date)
     from pg_temp.staging join deal on deal.id = staging.id
     where coalesce(staging.end_date, deal.end_date) < coalesce(staging.start_date, deal.start_date)`,
  ],
  contact: [unknownId('company_id', 'companyId', 'company'), unknownId('person_id', 'personId', 'person')],
};

function unknownIds(column: string, field: string, table: 'company' | 'person'): string {
  return `select line, '${field}: there is no ${table} ' || missing.id from pg_temp.staging,
    lateral (select min(each.id) as id from unnest(${column}) as each(id) where not exists (select from ${table} known where known.id = each.id)) as missing
    where missing.id is not null`;
}

function unknownId(column: string, field: string, table: 'company' | 'person'): string {
  return `select line, '${field}: there is no ${table} ' || ${column} from pg_temp.staging
    where ${column} is not null and not exists (select from ${table} known where known.id = ${column})`;
}
