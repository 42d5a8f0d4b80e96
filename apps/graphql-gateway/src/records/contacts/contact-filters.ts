// Turns the contact arguments into a condition, which includes who may see what. A contact is visible to its owner, and
// to everybody once it is shared.
import {
  compileFilter,
  reduceContradiction,
  searchTextFault,
  wordsOf,
  type ColumnType,
  type Condition as FilterCondition,
  type NormalisedFilter,
  type Range,
  type Scalar,
} from '@tradewind/filters';
import type { Condition } from '../../connections/page-query.js';
import { userInputError } from '../../request/graphql-errors.js';
import { assertInput } from '../../request/input-pipe.js';
import { emailCharsMax, wordsMax } from './contact-limits.js';
import { InputGetContactFilters } from './contact.types.js';

export interface ContactQuery {
  filters: InputGetContactFilters;
  /** Filter on the person, already understood, with conditions; null without one. */
  personFilter: NormalisedFilter | null;
  userId: string;
  now: Date;
}

export interface UnderstoodContacts {
  where: Condition;
  /** The same as `where`, apart from what it asks of the person. */
  filter: NormalisedFilter;
}

/** @throws BAD_USER_INPUT naming the field. */
export function contactCondition({ filters, personFilter, userId, now }: ContactQuery): UnderstoodContacts {
  assertInput(InputGetContactFilters, filters, 'filters');
  const ofColumns = reduceContradiction({
    entity: 'contact',
    today: '',
    conditions: contactConditions(filters, userId, now),
  });
  const { sql, params } = compileFilter(ofColumns);
  const parts = [sql];
  const values: unknown[] = [...params];
  const ofAddress: FilterCondition[] = [];
  if (filters.email !== null && filters.email !== undefined) {
    if (filters.email.includes('\0')) throw userInputError('filters.email holds a character that no address has');
    const address = filters.email.trim().toLowerCase();
    const email = `$${values.push(address)}::text`;
    parts.push(
      `(lower(t.email) = ${email} or exists (select from unnest(t.emails) as address where lower(address) = ${email}))`,
    );
    ofAddress.push({
      field: 'email',
      op: 'overlaps',
      column: 'addresses',
      type: 'text',
      values: [address],
      isNegated: false,
    });
  }
  if (personFilter) {
    const compiled = compileFilter(personFilter, { firstParameter: values.length + 1 });
    values.push(...compiled.params);
    parts.push(`t.person_id in (select t.id from person t where ${compiled.sql})`);
  }
  const filter = { ...ofColumns, conditions: [...ofColumns.conditions, ...ofAddress] };
  return { where: { sql: parts.join(' and '), params: values }, filter };
}

function contactConditions(filters: InputGetContactFilters, userId: string, now: Date): FilterCondition[] {
  const conditions: FilterCondition[] = [visibility(filters.filterType ?? 'ALL', userId)];
  const list = (name: keyof InputGetContactFilters, condition: (values: readonly Scalar[]) => FilterCondition) => {
    const values = filters[name] as readonly Scalar[] | null | undefined;
    if (values) conditions.push(condition(values));
  };
  const flag = (name: keyof InputGetContactFilters, column: string) => {
    const value = filters[name];
    if (typeof value === 'boolean') conditions.push(flagIs(column, value));
  };
  const ids = (column: string, isNegated?: boolean) => (values: readonly Scalar[]) =>
    among(column, 'bigint', values, isNegated);
  const texts = (column: string) => (values: readonly Scalar[]) => among(column, 'text', values);
  const overlaps = (column: string) => (values: readonly Scalar[]) =>
    ({ field: column, op: 'overlaps', column, type: 'bigint', values, isNegated: false }) as const;

  list('contactIds', ids('id'));
  list('personIds', ids('person_id'));
  list('companyIds', ids('company_id'));
  list('noCompanyIds', ids('company_id', true));
  list('opportunityIds', overlaps('opportunity_ids'));
  list('userId', ids('user_id'));
  list('importId', ids('import_id'));
  list('collectionId', overlaps('collection_ids'));
  // An address that is equal has the same words, which have an index.
  if (filters.email !== null && filters.email !== undefined)
    conditions.push(words('email', filters.email, { charsMax: emailCharsMax }));
  if (filters.query !== null && filters.query !== undefined)
    conditions.push(words('query', filters.query, { isUnfinished: true }));
  list('matchingStatus', texts('matching_status'));
  list('syncSourceType', texts('sync_source_type'));
  if (filters.syncSourceNameWithSyncIssues) {
    list('syncSourceNameWithSyncIssues', texts('sync_source_name'));
    conditions.push(flagIs('has_sync_issues', true));
  }
  const instants = (column: string, from: Date | null | undefined, to: Date | null | undefined) => {
    const bound = (instant: Date) => ({ value: instant.toISOString(), isInclusive: true });
    const range: Range = { ...(from && { min: bound(from) }), ...(to && { max: bound(to) }) };
    if (from || to)
      conditions.push({
        field: column,
        op: 'inRanges',
        column,
        type: 'timestamptz',
        ranges: [range],
        isNegated: false,
      });
  };
  instants('created_at', filters.fromCreatedAt, filters.toCreatedAt);
  instants('updated_at', filters.fromUpdatedAt, filters.toUpdatedAt);
  const hours = filters.updatedInLastHours;
  if (hours) instants('updated_at', new Date(now.getTime() - hours * 3_600_000), null);
  flag('isContact', 'is_contact');
  flag('isCrm', 'is_crm');
  flag('hasSyncIssues', 'has_sync_issues');
  if (filters.onlyInCollections)
    conditions.push({
      field: 'collection_ids',
      op: 'hasElementIn',
      column: 'collection_ids',
      type: 'bigint',
      range: {},
    });
  conditions.push(flagIs('is_deleted', filters.isDeleted === true));
  if (!filters.includeBlacklisted) conditions.push(flagIs('is_blacklisted', false));
  return conditions;
}

/** Text that two queries share only when they ask for the same contacts, whatever the time is. */
export function contactFingerprint(filters: InputGetContactFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== null && value !== undefined);
  const sorted = Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(sorted);
}

function visibility(filterType: 'ALL' | 'MINE' | 'SHARED', userId: string): FilterCondition {
  const isShared = flagIs('is_shared', true);
  const isOwn = among('owner_id', 'uuid', [userId]);
  switch (filterType) {
    case 'ALL':
      return { field: 'filterType', op: 'either', conditions: [isShared, isOwn] };
    case 'MINE':
      return isOwn;
    case 'SHARED':
      return isShared;
  }
}

/** For columns that are never null. Few contacts have a flag, and engines leave out few faster than they find many. */
function flagIs(column: string, value: boolean): FilterCondition {
  return among(column, 'boolean', [true], !value);
}

function among(column: string, type: ColumnType, values: readonly Scalar[], isNegated = false): FilterCondition {
  return { field: column, op: 'in', column, type, values, isNegated };
}

function assertSearchable(field: string, text: string, charsMax?: number): void {
  const fault = searchTextFault(text, charsMax);
  if (fault !== undefined) throw userInputError(`filters.${field} ${fault}`);
}

function words(
  field: string,
  text: string,
  { charsMax, isUnfinished = false }: { charsMax?: number; isUnfinished?: boolean },
): FilterCondition {
  assertSearchable(field, text, charsMax);
  const phrase = wordsOf(text);
  if (phrase.length > wordsMax) throw userInputError(`filters.${field} takes at most ${wordsMax} words`);
  return { field, op: 'words', column: 'search', phrases: [phrase], match: 'all', isNegated: false, isUnfinished };
}
