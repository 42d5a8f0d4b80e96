// Which columns a filter reads.
import type { Condition, NormalisedFilter } from '@tradewind/filters';
import { indexedColumns, recordColumnSql } from './indexed-columns.js';

export interface ReadColumn {
  column: string;
  /** Of its value as `evaluateFilter` reads it. */
  sql: string;
}

/** Each column that the filter reads, once, in an order that depends on the columns alone. */
export function readColumnsSql(filter: NormalisedFilter, alias: string): readonly ReadColumn[] {
  const names = [...new Set(readColumns(filter))].sort();
  return names.map((name) => {
    const indexed = indexedColumns[filter.entity].find(({ column }) => column === name);
    return { column: name, sql: indexed ? recordColumnSql(indexed, alias) : `${alias}.${name}` };
  });
}

export function readColumns({ conditions }: NormalisedFilter): readonly string[] {
  return conditions.flatMap(columnsOf);
}

function columnsOf(condition: Condition): readonly string[] {
  switch (condition.op) {
    case 'nothing':
      return [];
    case 'in':
    case 'inRanges':
    case 'overlaps':
    case 'containsAll':
    case 'hasElementIn':
    case 'words':
      return [condition.column];
    case 'wholeText':
      return condition.columns.map(({ column }) => column);
    case 'status':
      return [condition.startColumn, condition.endColumn];
    case 'either':
      return condition.conditions.flatMap(columnsOf);
  }
}
