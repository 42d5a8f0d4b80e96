// The columns that the index holds. PostgreSQL answers filters on other columns.

export interface IndexedColumns {
  table: 'company';
  /** bigint columns that filters compare with single values. */
  values: readonly string[];
  /** bigint[] columns. */
  lists: readonly string[];
  /** bigint columns that filters compare with ranges. */
  numbers: readonly string[];
}

export const companyColumns: IndexedColumns = {
  table: 'company',
  values: ['industry_id', 'country_id'],
  lists: ['region_ids', 'headquarters_location_ids', 'location_ids', 'top_market_region_ids', 'office_region_ids'],
  numbers: ['number_of_employees', 'revenue_amount'],
};

/** All of them but the id, in the order in which they are read. */
export function columnsToRead({ values, lists, numbers }: IndexedColumns): string[] {
  return [...values, ...lists, ...numbers];
}
