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
import { queryFingerprint } from './page-cursor.js';
import type { Condition } from './page-query.js';

export interface UnderstoodFilter {
  where: Condition;
  filter: NormalisedFilter;
  /** What it means today. */
  countKey: string;
  /** What it means whatever the day is: cursors stay valid over midnight. */
  lastingKey: string;
  /** Binds cursors to the filter. */
  fingerprint: string;
}

// Any fixed day will do.
const someDay = '2000-01-01';

// Whoever reads page after page sends the same filter each time. A filter takes about 5 kB.
const rememberedMax = 500;
const rememberedCharsMax = 2000;
/** Filters understood before, by what they were understood with. */
const remembered = new WeakMap<Lookups, Map<string, UnderstoodFilter>>();

/** @param argument for messages: the argument that the filters came in. */
export function understandFilter(
  entity: FilterEntity,
  input: object | null | undefined,
  { lookups, now, argument }: { lookups: Lookups; now: Date; argument: string },
): UnderstoodFilter {
  const today = utcDay(now);
  const key = `${entity} ${today} ${JSON.stringify(input)}`;
  let filters = remembered.get(lookups);
  if (!filters) remembered.set(lookups, (filters = new Map<string, UnderstoodFilter>()));
  const known = filters.get(key);
  if (known) return known;
  const filter = readFilter(entity, input as Record<string, unknown> | null | undefined, {
    today,
    names: lookups.names,
    argument,
  });
  if (key.length <= rememberedCharsMax) {
    if (filters.size >= rememberedMax) filters.delete(filters.keys().next().value!);
    filters.set(key, filter);
  }
  return filter;
}

function readFilter(
  entity: FilterEntity,
  input: Readonly<Record<string, unknown>> | null | undefined,
  { today, names, argument }: { today: string; names: Lookups['names']; argument: string },
): UnderstoodFilter {
  try {
    const filter = parseFilters(entity, input, { today, names });
    const dependsOnToday = filter.conditions.some(
      (condition) => condition.op === 'status' || condition.field === 'age',
    );
    const { sql, params } = compileFilter(filter);
    const countKey = canonicalKey(filter);
    const lastingKey = dependsOnToday ? canonicalKey(parseFilters(entity, input, { today: someDay, names })) : countKey;
    return { where: { sql, params }, filter, countKey, lastingKey, fingerprint: queryFingerprint(lastingKey) };
  } catch (error) {
    if (error instanceof FilterError) throw filterFault(error, argument);
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
