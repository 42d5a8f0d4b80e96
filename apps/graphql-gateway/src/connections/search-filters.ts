// Turns the filter arguments of the three typed connections into a condition. Every fault is a BAD_USER_INPUT.
import {
  canonicalKey,
  compileFilter,
  FilterError,
  parseFilters,
  reduceContradiction,
  type FilterEntity,
  type NormalisedFilter,
} from '@tradewind/filters';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import { utcDay } from '../clock.js';
import type { Lookups } from '../dictionaries/dictionaries.service.js';
import { queryFingerprint } from './page-cursor.js';
import type { Condition } from './page-query.js';

export interface UnderstoodFilter {
  where: Condition;
  filter: NormalisedFilter;
  /** What the filter means today. */
  countKey: string;
  /** What the filter means on any day, so that cursors stay valid past midnight. */
  lastingKey: string;
  /** Binds cursors to the filter. */
  fingerprint: string;
}

// Any fixed day works.
const someDay = '2000-01-01';

// A caller that reads page after page sends the same filter each time. A filter takes about 5 kB.
const rememberedMax = 500;
const rememberedCharsMax = 2000;
/** Filters that were understood before, by the look-ups that they were understood with. */
const remembered = new WeakMap<Lookups, LRUCache<string, UnderstoodFilter>>();

/** @param argument name of the argument that holds the filters, for messages */
export function understandFilter(
  entity: FilterEntity,
  input: object | null | undefined,
  { lookups, now, argument }: { lookups: Lookups; now: Date; argument: string },
): UnderstoodFilter {
  const today = utcDay(now);
  const key = `${entity} ${today} ${JSON.stringify(input)}`;
  let filters = remembered.get(lookups);
  if (!filters) remembered.set(lookups, (filters = new LRUCache({ max: rememberedMax })));
  const known = filters.get(key);
  if (known) return known;
  const filter = readFilter(entity, input as Record<string, unknown> | null | undefined, {
    today,
    names: lookups.names,
    argument,
  });
  if (key.length <= rememberedCharsMax) filters.set(key, filter);
  return filter;
}

function readFilter(
  entity: FilterEntity,
  input: Readonly<Record<string, unknown>> | null | undefined,
  { today, names, argument }: { today: string; names: Lookups['names']; argument: string },
): UnderstoodFilter {
  try {
    const parsed = parseFilters(entity, input, { today, names });
    const dependsOnToday = parsed.conditions.some(
      (condition) => condition.op === 'status' || condition.field === 'age',
    );
    const filter = reduceContradiction(parsed);
    const { sql, params } = compileFilter(filter);
    const lastingKey = canonicalKey(dependsOnToday ? parseFilters(entity, input, { today: someDay, names }) : parsed);
    const countKey = dependsOnToday || filter !== parsed ? canonicalKey(filter) : lastingKey;
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
