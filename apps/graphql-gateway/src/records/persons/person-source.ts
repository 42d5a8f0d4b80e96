// Persons from the table to the wire.
import {
  plain,
  list,
  listOf,
  lookup,
  object,
  type RecordField,
  type RecordSource,
} from '../../connections/record-source.js';
import type { Person } from './person.types.js';

const fields: Record<keyof Person, RecordField> = {
  id: plain('id'),
  firstName: plain('first_name'),
  lastName: plain('last_name'),
  name: plain('name'),
  gender: plain('gender'),
  age: {
    columns: ['birth_date'],
    read: (row, at, { today }) => (row[at[0]!] === null ? null : ageOn(today, row[at[0]!] as string)),
  },
  skills: {
    columns: ['skill_ids'],
    read: (row, at, { lookups }) =>
      listOf(row[at[0]!])
        .map((id) => lookups.skills.get(id!))
        .filter((name) => name !== undefined),
  },
  categoryIds: list('category_ids'),
  country: lookup('country_id', ({ countries }) => countries),
  identifiers: plain('identifiers'),
  salary: object({
    grossSalary: plain('gross_salary'),
    grossSalaryLowerRange: plain('gross_salary_lower_range'),
    grossSalaryUpperRange: plain('gross_salary_upper_range'),
  }),
};

export const personSource: RecordSource = { table: 'person', fields };

/** Whole years between two dates `YYYY-MM-DD`; null for a birth in the future. */
function ageOn(today: string, birthDate: string): number | null {
  const hadBirthday = today.slice(5) >= birthDate.slice(5);
  const age = Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4)) - (hadBirthday ? 0 : 1);
  return age < 0 ? null : age;
}
