// The companies that changed since a data version, read in one statement, so that version and rows belong together.
import { Injectable } from '@nestjs/common';
import { integerOf, type FilterRecord } from '@tradewind/filters';
import { DataStore } from '../data-store/data-store.js';
import { columnsToRead, companyColumns } from './indexed-columns.js';

export type CompanyChanges =
  /** All rows written after the given version, as they are at `version`; null for a deleted row. */
  | { outcome: 'known'; version: bigint; rows: [id: bigint, row: FilterRecord | null][] }
  /** The list is too long, incomplete or gone, or the data is older than the version: everything must be read again. */
  | { outcome: 'unknown'; version: bigint };

interface ChangeRow extends Record<string, unknown> {
  version: string;
  is_known: boolean;
  changed_id: string | null;
  id: string | null;
}

const columns = columnsToRead(companyColumns);
const listColumns = new Set(companyColumns.lists);

// NOTE: the changes are complete only if every version in between has its row; one that was raised by hand has none.
const statement = `
with now as (select version from data_version where entity = 'company'),
changes as (select ids from data_change where entity = 'company' and version > $1::bigint),
known as (select count(*) = (select version from now) - $1::bigint and coalesce(bool_and(ids is not null), true) as is_known from changes),
changed as (select distinct unnest(ids) as changed_id from changes, known where is_known limit $2)
select now.version, known.is_known, changed.changed_id, company.id, ${columns.map((name) => `company.${name}`).join(', ')}
from now cross join known left join changed on true left join company on company.id = changed.changed_id`;

@Injectable()
export class CompanyChangesStore {
  constructor(private readonly dataStore: DataStore) {}

  /** @param rowsMax with more changed rows the outcome is `unknown` */
  async since(version: bigint, rowsMax: number): Promise<CompanyChanges> {
    const rows = await this.dataStore.query<ChangeRow>({
      text: statement,
      values: [String(version), rowsMax + 1],
    });
    const [first] = rows;
    // The migration makes the row of the entity.
    const now = BigInt(first!.version);
    if (!first!.is_known || rows.length > rowsMax) return { outcome: 'unknown', version: now };
    const changed = rows.filter((row) => row.changed_id !== null);
    return {
      outcome: 'known',
      version: now,
      rows: changed.map((row) => [BigInt(row.changed_id!), row.id === null ? null : recordOf(row)]),
    };
  }
}

/** Integers as the evaluation compares them, converted once instead of at each filter. */
function recordOf(row: Record<string, unknown>): FilterRecord {
  return Object.fromEntries(
    columns.map((name) => [
      name,
      listColumns.has(name) ? (row[name] as unknown[]).map(integerOf) : (integerOf(row[name]) ?? null),
    ]),
  );
}
