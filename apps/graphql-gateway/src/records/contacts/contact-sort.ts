// What contacts can be sorted by. Keys of the person are copied into the contact's row, so that no sort needs a join.
import type { SortKey } from '../../connections/page-order.js';
import type { ContactsArgs } from './contact.types.js';

type Key = Pick<SortKey, 'column' | 'type' | 'isNullable'>;

const contactKeys: Readonly<Record<NonNullable<ContactsArgs['sortBy']>, Key>> = {
  CREATED_AT: { column: 'created_at', type: 'timestamptz', isNullable: false },
  UPDATED_AT: { column: 'updated_at', type: 'timestamptz', isNullable: false },
  NAME: { column: 'name', type: 'text', isNullable: false },
  EMAIL: { column: 'email', type: 'text', isNullable: true },
};

const personKeys: Readonly<Record<NonNullable<ContactsArgs['personSortBy']>, Key & { isReversed?: boolean }>> = {
  NAME: { column: 'person_name', type: 'text', isNullable: true },
  // The older somebody is, the earlier the day of birth.
  AGE: { column: 'person_birth_date', type: 'date', isNullable: true, isReversed: true },
  GROSS_SALARY: { column: 'person_gross_salary_amount', type: 'bigint', isNullable: true },
};

export function contactSort({ sortBy, personSortBy, sortOrder }: ContactsArgs): SortKey[] {
  const isAscending = (sortOrder ?? 'ASC') === 'ASC';
  const keys: SortKey[] = [];
  if (sortBy) keys.push({ ...contactKeys[sortBy], direction: isAscending ? 'asc' : 'desc' });
  if (personSortBy) {
    const { isReversed = false, ...key } = personKeys[personSortBy];
    keys.push({ ...key, direction: isAscending !== isReversed ? 'asc' : 'desc' });
  }
  // Without a key contacts are ordered by id, in the direction asked for.
  if (keys.length === 0 && !isAscending)
    keys.push({ column: 'id', type: 'bigint', direction: 'desc', isNullable: false });
  return keys;
}
