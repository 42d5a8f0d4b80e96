// Turns the contact arguments into a condition, which includes who may see what: a contact is visible to its owner, and
// to everybody once it is shared.
import { compileFilter, searchTextFault, wordsOf, type NormalisedFilter } from '@tradewind/filters';
import type { Condition } from '../../connections/page-query.js';
import { userInputError } from '../../request/graphql-errors.js';
import { assertInput } from '../../request/input-pipe.js';
import { emailCharsMax, wordsMax } from './contact-limits.js';
import { InputGetContactFilters } from './contact.types.js';

export interface ContactQuery {
  filters: InputGetContactFilters;
  /** Filter on the person, already understood; null without one. */
  personFilter: NormalisedFilter | null;
  userId: string;
  now: Date;
}

/** @throws BAD_USER_INPUT naming the field. */
export function contactCondition({ filters, personFilter, userId, now }: ContactQuery): Condition {
  assertInput(InputGetContactFilters, filters, 'filters');
  const params: unknown[] = [];
  const parts: string[] = [];
  const param = (value: unknown, type: string) => `$${params.push(value)}::${type}`;
  const list = <T>(name: keyof InputGetContactFilters, condition: (values: T[]) => string) => {
    const values = filters[name] as T[] | null | undefined;
    if (values) parts.push(condition(values));
  };
  // One value as "=" keeps the order of the index (column, id).
  const among = (column: string, type: string) => (values: unknown[]) =>
    values.length === 1
      ? `t.${column} = ${param(values[0], type)}`
      : `t.${column} = any(${param(values, `${type}[]`)})`;
  const overlaps = (column: string) => (values: unknown[]) => `t.${column} && ${param(values, 'bigint[]')}`;
  const flag = (name: keyof InputGetContactFilters, column: string) => {
    const value = filters[name];
    if (typeof value === 'boolean') parts.push(`t.${column} = ${param(value, 'boolean')}`);
  };

  parts.push(visibility(filters.filterType ?? 'ALL', () => param(userId, 'uuid')));
  list('contactIds', among('id', 'bigint'));
  list('personIds', among('person_id', 'bigint'));
  list('companyIds', among('company_id', 'bigint'));
  list('noCompanyIds', (values) => `(t.company_id is null or t.company_id <> all(${param(values, 'bigint[]')}))`);
  list('opportunityIds', overlaps('opportunity_ids'));
  list('userId', among('user_id', 'bigint'));
  list('importId', among('import_id', 'bigint'));
  list('collectionId', overlaps('collection_ids'));
  if (filters.email !== null && filters.email !== undefined) {
    assertSearchable('email', filters.email, emailCharsMax);
    if (filters.email.includes('\0')) throw userInputError('filters.email holds a character that no address has');
    const email = param(filters.email.trim().toLowerCase(), 'text');
    parts.push(
      `(lower(t.email) = ${email} or exists (select from unnest(t.emails) as address where lower(address) = ${email}))`,
    );
    // Uses the index on words first: an address that is equal has the same words.
    const query = searchQuery('email', filters.email, false);
    parts.push(`t.search @@ ${param(query, 'tsquery')}`);
  }
  if (filters.query !== null && filters.query !== undefined) {
    assertSearchable('query', filters.query);
    parts.push(`t.search @@ ${param(searchQuery('query', filters.query, true), 'tsquery')}`);
  }
  list('matchingStatus', among('matching_status', 'text'));
  list('syncSourceType', among('sync_source_type', 'text'));
  list(
    'syncSourceNameWithSyncIssues',
    (values) => `(${among('sync_source_name', 'text')(values)} and t.has_sync_issues)`,
  );
  const since = (value: Date | null | undefined, comparison: string) => {
    if (value) parts.push(`t.${comparison} ${param(value.toISOString(), 'timestamptz')}`);
  };
  since(filters.fromCreatedAt, 'created_at >=');
  since(filters.toCreatedAt, 'created_at <=');
  since(filters.fromUpdatedAt, 'updated_at >=');
  since(filters.toUpdatedAt, 'updated_at <=');
  const hours = filters.updatedInLastHours;
  if (hours) since(new Date(now.getTime() - hours * 3_600_000), 'updated_at >=');
  flag('isContact', 'is_contact');
  flag('isCrm', 'is_crm');
  flag('hasSyncIssues', 'has_sync_issues');
  if (filters.onlyInCollections) parts.push(`t.collection_ids <> '{}'`);
  parts.push(filters.isDeleted ? 't.is_deleted' : 'not t.is_deleted');
  if (!filters.includeBlacklisted) parts.push('not t.is_blacklisted');
  // A filter without conditions does not even require that there is a person.
  if (personFilter && personFilter.conditions.length > 0) {
    const compiled = compileFilter(personFilter, { firstParameter: params.length + 1 });
    params.push(...compiled.params);
    parts.push(`t.person_id in (select t.id from person t where ${compiled.sql})`);
  }
  return { sql: parts.join(' and '), params };
}

/** Text that two queries share only when they ask for the same contacts, whatever the time is. */
export function contactFingerprint(filters: InputGetContactFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== null && value !== undefined);
  const sorted = Object.fromEntries(given.sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(sorted);
}

function visibility(filterType: 'ALL' | 'MINE' | 'SHARED', user: () => string): string {
  switch (filterType) {
    case 'ALL':
      return `(t.is_shared or t.owner_id = ${user()})`;
    case 'MINE':
      return `t.owner_id = ${user()}`;
    case 'SHARED':
      return 't.is_shared';
  }
}

function assertSearchable(field: string, text: string, charsMax?: number): void {
  const fault = searchTextFault(text, charsMax);
  if (fault !== undefined) throw userInputError(`filters.${field} ${fault}`);
}

function searchQuery(field: string, text: string, isLastUnfinished: boolean): string {
  const words = wordsOf(text);
  if (words.length > wordsMax) throw userInputError(`filters.${field} takes at most ${wordsMax} words`);
  return words
    .map((word, index) => `'${word}'${isLastUnfinished && index === words.length - 1 ? ':*' : ''}`)
    .join(' & ');
}
