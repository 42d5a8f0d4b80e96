// From the filter arguments of the three typed connections to a condition, with every fault a BAD_USER_INPUT.
import {
  canonicalKey,
  compileFilter,
  FilterError,
  parseFilters,
  type FilterEntity,
  type NormalisedFilter,
} from '@tradewind/filters';
import { GraphQLError } from 'graphql';
import { utcDay } from '../clock.js';
import type { Lookups } from '../dictionaries/dictionaries.service.js';
import type { Condition } from './page-query.js';

export interface UnderstoodFilter {
  where: Condition;
  /** What it means today. */
  key: string;
  /** What it means whatever the day is: cursors stay valid over midnight. */
  lastingKey: string;
  normalised: NormalisedFilter;
}

// Any fixed day will do.
const someDay = '2000-01-01';

/** @param argument for messages: the argument that the filters came in. */
export function understandFilter(
  entity: FilterEntity,
  input: Readonly<Record<string, unknown>> | null | undefined,
  options: { lookups: Lookups; now: Date; argument: string },
): UnderstoodFilter {
  const { names } = options.lookups;
  try {
    const normalised = parseFilters(entity, input, { today: utcDay(options.now), names });
    const dependsOnToday = normalised.conditions.some(
      (condition) => condition.op === 'status' || condition.field === 'age',
    );
    const { sql, params } = compileFilter(normalised);
    const key = canonicalKey(normalised);
    const lastingKey = dependsOnToday ? canonicalKey(parseFilters(entity, input, { today: someDay, names })) : key;
    return { where: { sql, params }, key, lastingKey, normalised };
  } catch (error) {
    if (error instanceof FilterError) throw filterFault(error, options.argument);
    throw error;
  }
}

/** Filter fields of companies that are arguments of their own. */
const argumentFields = new Set(['topMarkets', 'officeLocation']);

function filterFault(error: FilterError, argument: string): GraphQLError {
  const { field, comparison, suggestions } = error;
  return new GraphQLError(error.message, {
    extensions: {
      code: 'BAD_USER_INPUT',
      argument: argumentFields.has(field) ? field : argument,
      field,
      ...(comparison === undefined ? {} : { comparison }),
      ...(suggestions.length === 0 ? {} : { suggestions }),
      http: { status: 400 },
    },
    originalError: error,
  });
}
