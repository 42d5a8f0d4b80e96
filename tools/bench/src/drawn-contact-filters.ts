// Random arguments of contactsConnection, beside the conditions that they mean. Contacts have filters of their own: see
// InputGetContactFilters of the schema.
import { type ColumnType, type Condition, type Scalar, wordsOf } from '@tradewind/filters';
import type { Dice } from './dice.js';
import type { Row, SortColumn } from './drawn-filters.types.js';

export interface DrawnContacts {
  variables: Record<string, unknown>;
  conditions: Condition[];
  sort: SortColumn[];
  parts: string[];
  email?: string;
  asksForPerson: boolean;
  isMoving: boolean;
}

type In = Condition & { op: 'in' };

const among = (column: string, type: ColumnType, values: readonly Scalar[], isNegated = false): In => ({
  field: column,
  op: 'in',
  column,
  type,
  values,
  isNegated,
});
const phrase = (text: string, rest: object): Condition => ({
  field: 'query',
  op: 'words',
  column: 'search',
  phrases: [wordsOf(text)],
  match: 'all',
  isNegated: false,
  ...rest,
});

interface Field {
  name: string;
  /** Undefined when the record has no such value. */
  value: (row: Row, dice: Dice, nowMs: number) => unknown;
  conditions: (value: never, nowMs: number) => Condition[];
}

const ids = (name: string, column: string, isNegated = false): Field => ({
  name,
  value: (row) => idOf(row[column]),
  conditions: (values: number[]) => [among(column, 'bigint', values, isNegated)],
});
const idList = (name: string, column: string): Field => ({
  name,
  value: (row) => idOf((row[column] as unknown[])[0]),
  conditions: (values: number[]) => [{ field: name, op: 'overlaps', column, type: 'bigint', values, isNegated: false }],
});
const texts = (name: string, column: string): Field => ({
  name,
  value: (row) => row[column] ?? undefined,
  conditions: (values: string[]) => [among(column, 'text', values)],
});
const flag = (name: string, column: string): Field => ({
  name,
  value: (_row, dice) => dice.chance(0.5),
  conditions: (value: boolean) => [among(column, 'boolean', [value])],
});
const instant = (name: string, column: string, bound: 'min' | 'max'): Field => ({
  name,
  value: (row) => row[column],
  conditions: (value: string) => [
    {
      field: column,
      op: 'inRanges',
      column,
      type: 'timestamptz',
      ranges: [{ [bound]: { value, isInclusive: true } }],
      isNegated: false,
    },
  ],
});
const idOf = (value: unknown) => (value === null || value === undefined ? undefined : Number(value));
const hourMs = 3_600_000;

/** Fields that take a list of values. */
const lists: readonly Field[] = [
  ids('contactIds', 'id'),
  ids('personIds', 'person_id'),
  ids('companyIds', 'company_id'),
  ids('noCompanyIds', 'company_id', true),
  ids('userId', 'user_id'),
  ids('importId', 'import_id'),
  idList('opportunityIds', 'opportunity_ids'),
  idList('collectionId', 'collection_ids'),
  texts('matchingStatus', 'matching_status'),
  texts('syncSourceType', 'sync_source_type'),
  {
    ...texts('syncSourceNameWithSyncIssues', 'sync_source_name'),
    conditions: (values: string[]) => [
      among('sync_source_name', 'text', values),
      among('has_sync_issues', 'boolean', [true]),
    ],
  },
];

const singles: readonly Field[] = [
  instant('fromCreatedAt', 'created_at', 'min'),
  instant('toCreatedAt', 'created_at', 'max'),
  instant('fromUpdatedAt', 'updated_at', 'min'),
  instant('toUpdatedAt', 'updated_at', 'max'),
  {
    name: 'updatedInLastHours',
    value: (row, _dice, nowMs) => Math.max(1, Math.ceil((nowMs - Date.parse(String(row['updated_at']))) / hourMs)),
    conditions: (hours: number, nowMs) =>
      instant('', 'updated_at', 'min').conditions(new Date(nowMs - hours * hourMs).toISOString() as never, nowMs),
  },
  flag('isContact', 'is_contact'),
  flag('isCrm', 'is_crm'),
  flag('hasSyncIssues', 'has_sync_issues'),
  { name: 'isDeleted', value: (_row, dice) => dice.chance(0.5), conditions: () => [] },
  { name: 'includeBlacklisted', value: (_row, dice) => dice.chance(0.5), conditions: () => [] },
  {
    name: 'onlyInCollections',
    value: () => true,
    conditions: () => [
      { field: 'collection_ids', op: 'hasElementIn', column: 'collection_ids', type: 'bigint', range: {} },
    ],
  },
  {
    name: 'query',
    // The last word may be unfinished.
    value: (row, dice) => {
      const words = row['search'] as string[];
      if (words.length === 0) return undefined;
      const chosen = dice.some(words, 1 + dice.below(2));
      const last = chosen.pop()!;
      return [...chosen, dice.chance(0.5) ? last : last.slice(0, 1 + dice.below(last.length))].join(' ');
    },
    conditions: (text: string) => [phrase(text, { isUnfinished: true })],
  },
  {
    name: 'email',
    value: (row) => row['email'] ?? undefined,
    conditions: (text: string) => [phrase(text, { isUnfinished: false })],
  },
];

const sortColumns = { CREATED_AT: 'created_at', UPDATED_AT: 'updated_at', NAME: 'name', EMAIL: 'email' } as const;
const personSortColumns = {
  NAME: 'person_name',
  AGE: 'person_birth_date',
  GROSS_SALARY: 'person_gross_salary_amount',
} as const;
/** Beside the fields above. */
const personFilters = 'personSearchFilters';
const fields = [...lists, ...singles];

/** @param nowMs the moment from which hours are counted back */
export function contactArguments(
  rows: readonly Row[],
  dice: Dice,
  { userId, nowMs }: { userId: string; nowMs: number },
): DrawnContacts {
  const anchor = dice.chance(0.5) ? dice.one(rows) : undefined;
  const filters: Record<string, unknown> = {};
  const conditions: Condition[] = [];
  const parts: string[] = [];
  const chosen = dice.some([...fields.map(({ name }) => name), personFilters], dice.below(5));
  for (const { name, value, conditions: conditionsOf } of fields.filter((field) => chosen.includes(field.name))) {
    const draw = () => value(anchor ?? dice.one(rows), dice, nowMs);
    const isList = lists.some((list) => list.name === name);
    const drawn = isList ? [...new Set([draw(), dice.chance(0.4) ? draw() : undefined])] : [draw()];
    const values = drawn.filter((each) => each !== undefined);
    if (values.length === 0) continue;
    filters[name] = isList ? values : values[0];
    conditions.push(...conditionsOf(filters[name] as never, nowMs));
    parts.push(name);
  }
  const filterType = dice.one([undefined, 'ALL', 'MINE', 'SHARED']);
  if (filterType) {
    filters['filterType'] = filterType;
    parts.push(`filterType ${filterType}`);
  }
  conditions.push(
    visibility(filterType, userId),
    among('is_deleted', 'boolean', [filters['isDeleted'] === true]),
    ...(filters['includeBlacklisted'] === true ? [] : [among('is_blacklisted', 'boolean', [false])]),
  );
  const order = drawOrder(dice);
  parts.push(...order.parts);
  const email = filters['email'];
  return {
    variables: { ...(Object.keys(filters).length > 0 && { filters }), ...order.variables },
    conditions,
    sort: order.sort,
    parts,
    ...(typeof email === 'string' && { email }),
    asksForPerson: chosen.includes(personFilters),
    isMoving: 'updatedInLastHours' in filters,
  };
}

function visibility(filterType: string | undefined, userId: string): Condition {
  const isShared = among('is_shared', 'boolean', [true]);
  const isOwn = among('owner_id', 'uuid', [userId]);
  if (filterType === 'MINE') return isOwn;
  return filterType === 'SHARED' ? isShared : { field: 'filterType', op: 'either', conditions: [isShared, isOwn] };
}

function drawOrder(dice: Dice): Pick<DrawnContacts, 'variables' | 'sort' | 'parts'> {
  const variables: Record<string, unknown> = {};
  const sort: SortColumn[] = [];
  const parts: string[] = [];
  const sortOrder = dice.one([undefined, 'ASC', 'DESC']);
  const direction = sortOrder === 'DESC' ? 'desc' : 'asc';
  const reversed = direction === 'asc' ? 'desc' : 'asc';
  if (dice.chance(0.5)) {
    const sortBy = dice.one(Object.keys(sortColumns) as (keyof typeof sortColumns)[]);
    variables['sortBy'] = sortBy;
    sort.push({ column: sortColumns[sortBy], direction });
    parts.push(`sortBy ${sortBy}`);
  }
  if (dice.chance(0.3)) {
    const personSortBy = dice.one(Object.keys(personSortColumns) as (keyof typeof personSortColumns)[]);
    variables['personSortBy'] = personSortBy;
    // Who is older was born earlier.
    sort.push({ column: personSortColumns[personSortBy], direction: personSortBy === 'AGE' ? reversed : direction });
    parts.push(`personSortBy ${personSortBy}`);
  }
  if (sortOrder) {
    variables['sortOrder'] = sortOrder;
    parts.push(`sortOrder ${sortOrder}`);
    if (sort.length === 0) sort.push({ column: 'id', direction });
  }
  return { variables, sort, parts };
}
