// The records that changed since a data version, read in one statement, so that version and rows belong together.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Entity, indexedColumns, recordColumnSql, sortsTextsByBytesSql } from '@tradewind/filter-engine';
import { integerOf, type FilterRecord } from '@tradewind/filters';
import { DataStore } from '../data-store/data-store.js';

export type RecordChanges =
  /** All rows written after the given version, as they are at `version`; null for a deleted row. */
  | { outcome: 'known'; version: bigint; mark: string | null; rows: [id: bigint, row: FilterRecord | null][] }
  /** The list is too long, incomplete or gone, or the data is older than the version: everything must be read again. */
  | { outcome: 'unknown'; version: bigint };

interface ChangeRow extends Record<string, unknown> {
  version: string;
  mark: string | null;
  is_known: boolean;
  changed_id: string | null;
  id: string | null;
}

/** Columns of the evaluation; words come as a list. */
function rowColumns(entity: Entity): string {
  return indexedColumns[entity].map((each) => `${recordColumnSql(each, 't')} as ${each.column}`).join(', ');
}

// NOTE: the changes are complete only if every version in between has its row; one that was raised by hand has none.
// The mark of a version is the time of its change. A database that was restored, or that lost its last transactions,
// comes to the same version again at another time. The row of an old version may be gone.
/** The same in every session, whatever its time zone is. */
const markSql = 'extract(epoch from at)::text';

const statementOf = (entity: Entity) => `
with now as (
  select version, (select ${markSql} from data_change c where c.entity = v.entity and c.version = v.version) as mark
    from data_version v where entity = '${entity}'),
changes as (select ids from data_change where entity = '${entity}' and version > $1::bigint),
known as (
  select count(*) = (select version from now) - $1::bigint and coalesce(bool_and(ids is not null), true)
      and not exists (select from data_change where entity = '${entity}' and version = $1::bigint and ${markSql} <> $3::text)
      as is_known
    from changes),
changed as (select distinct unnest(ids) as changed_id from changes, known where is_known limit $2)
select now.version, now.mark, known.is_known, changed.changed_id, t.id, ${rowColumns(entity)}
from now cross join known left join changed on true left join ${entity} t on t.id = changed.changed_id`;

const statements: Readonly<Record<Entity, string>> = {
  company: statementOf('company'),
  person: statementOf('person'),
  deal: statementOf('deal'),
  contact: statementOf('contact'),
};

/** Converting a row takes some 5 µs; requests have their turn in between. */
const rowsPerTurn = 1_000;

@Injectable()
export class RecordChangesStore {
  constructor(private readonly dataStore: DataStore) {}

  /**
   * @param rowsMax with more changed rows the outcome is `unknown`
   * @param mark of the version, when it is known
   */
  async since(entity: Entity, version: bigint, rowsMax: number, mark: string | null = null): Promise<RecordChanges> {
    const rows = await this.dataStore.query<ChangeRow>({
      text: statements[entity],
      values: [String(version), Math.max(rowsMax, 0) + 1, mark],
    });
    // The migration makes the row of the entity; without a change there is still one row, with the version.
    const [first] = rows;
    const now = BigInt(first!.version);
    const changed = rows.filter((row) => row.changed_id !== null);
    if (!first!.is_known || changed.length > rowsMax) return { outcome: 'unknown', version: now };
    const records: [id: bigint, row: FilterRecord | null][] = [];
    for (const row of changed) {
      records.push([BigInt(row.changed_id!), row.id === null ? null : recordOf(entity, row)]);
      if (records.length % rowsPerTurn === 0) await nextTurn();
    }
    return { outcome: 'known', version: now, mark: first!.mark, rows: records };
  }

  /** Whether the database has texts in the order of their bytes. */
  async sortsTextsByBytes(): Promise<boolean> {
    const [row] = await this.dataStore.query<{ is_so: boolean }>({
      text: `select ${sortsTextsByBytesSql} as is_so`,
      values: [],
    });
    return row!.is_so;
  }

  /** About how many rows the table has. */
  async estimatedRows(entity: Entity): Promise<number> {
    const [row] = await this.dataStore.query<{ rows: string }>({
      text: 'select greatest(reltuples, 0)::bigint as rows from pg_class where oid = $1::regclass',
      values: [entity],
    });
    return Number(row!.rows);
  }
}

/** Integers as the evaluation compares them, converted once instead of at each filter. */
function recordOf(entity: Entity, row: ChangeRow): FilterRecord {
  const record: Record<string, unknown> = { id: integerOf(row.id) };
  for (const { column, type, shape } of indexedColumns[entity]) {
    const value = row[column];
    if (type !== 'bigint') record[column] = value;
    else record[column] = shape === 'list' ? (value as unknown[]).map(integerOf) : (integerOf(value) ?? null);
  }
  return record;
}
