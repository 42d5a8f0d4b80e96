// The gateway's data tables. Their columns are read from the database, so a new column needs no second list here.
import type pg from 'pg';

export const entities = ['company', 'person', 'deal', 'contact'] as const;
export type Entity = (typeof entities)[number];

export interface Column {
  name: string;
  /** As PostgreSQL writes it: `bigint[]`, `jsonb`. */
  type: string;
}

/** A value of a column before it is written: lists as arrays, JSON as objects, dates and times as text. */
export type Value = string | number | bigint | boolean | null | readonly (string | number | bigint)[] | object;

/** Values by column; a column that is not named stays null. */
export type Row = Readonly<Record<string, Value>>;

/** The columns of a table that the database does not compute, in its order. */
export async function columnsOf(client: pg.Client, entity: Entity): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [entity],
  );
  return rows;
}
