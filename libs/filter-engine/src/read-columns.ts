// Which columns a filter reads.
import type { Condition, NormalisedFilter } from '@tradewind/filters';

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
