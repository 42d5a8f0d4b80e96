// The columns that pages of an entity are sorted by, the id aside.
import type { SortedColumn } from '@tradewind/filters';
import type { Entity } from './filter-engine.port.js';

export const sortedColumns: Readonly<Record<Entity, readonly SortedColumn[]>> = {
  company: [],
  person: [],
  deal: [
    { column: 'announced_date', type: 'date' },
    { column: 'start_date', type: 'date' },
    { column: 'end_date', type: 'date' },
    { column: 'annual_value_amount', type: 'bigint' },
    { column: 'total_value_amount', type: 'bigint' },
    { column: 'title', type: 'text' },
  ],
  contact: [
    { column: 'created_at', type: 'timestamptz' },
    { column: 'updated_at', type: 'timestamptz' },
    { column: 'name', type: 'text' },
    { column: 'email', type: 'text' },
    { column: 'person_name', type: 'text' },
    { column: 'person_birth_date', type: 'date' },
    { column: 'person_gross_salary_amount', type: 'bigint' },
  ],
};

/** All entities; every engine holds them. */
export const indexedEntities = Object.keys(sortedColumns) as readonly Entity[];
