// How large a filter is: what the work of an engine depends on before it knows any data.
import type { Condition, NormalisedFilter } from '@tradewind/filters';

/** Values, words and bounds that a condition compares with. */
export function valueCount(condition: Condition): number {
  switch (condition.op) {
    case 'in':
    case 'overlaps':
      return condition.values.length;
    case 'inRanges':
      return 2 * condition.ranges.length;
    case 'containsAll':
      return total(condition.groups, (group) => group.length);
    case 'words':
      return total(condition.phrases, (phrase) => phrase.length);
    case 'wholeText':
      return condition.columns.length;
    case 'hasElementIn':
    case 'status':
      return 2;
    case 'either':
      return total(condition.conditions, valueCount);
    case 'nothing':
      return 0;
  }
}

export function filterSize({ conditions }: NormalisedFilter): number {
  return total(conditions, valueCount);
}

/** Whether the condition reads a list: each of its elements may be compared with each value. */
export function readsList(condition: Condition): boolean {
  switch (condition.op) {
    case 'overlaps':
    case 'containsAll':
    case 'words':
    case 'hasElementIn':
    case 'wholeText':
      return true;
    case 'either':
      return condition.conditions.some(readsList);
    default:
      return false;
  }
}

const total = <T>(items: readonly T[], sizeOf: (item: T) => number): number =>
  items.reduce((sum, item) => sum + sizeOf(item), 0);
