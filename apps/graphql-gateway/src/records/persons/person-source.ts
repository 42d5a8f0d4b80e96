// Persons from the table to the wire.
import {
  json,
  list,
  listOf,
  lookup,
  object,
  text,
  type RecordField,
  type RecordSource,
} from '../../connections/record-source.js';
import type { Person } from './person.types.js';

const fields: Record<keyof Person, RecordField> = {
  id: text('id'),
  firstName: text('first_name'),
  lastName: text('last_name'),
  name: text('name'),
  gender: text('gender'),
  age: { columns: ['birth_date'], read: (cell, { today }) => (cell === null ? null : ageOn(today, cell)) },
  skills: {
    columns: ['skill_ids'],
    read: (cell, { lookups }) =>
      listOf(cell)
        .map((id) => lookups.skills.get(id!))
        .filter((name) => name !== undefined),
  },
  categoryIds: list('category_ids'),
  country: lookup('country_id', ({ countries }) => countries),
  identifiers: json('identifiers'),
  salary: object({
    grossSalary: json('gross_salary'),
    grossSalaryLowerRange: json('gross_salary_lower_range'),
    grossSalaryUpperRange: json('gross_salary_upper_range'),
  }),
};

export const personSource: RecordSource = { table: 'person', fields };

/** Whole years between two dates `YYYY-MM-DD`; null for a birth in the future. */
export function ageOn(today: string, birthDate: string): number | null {
  const hadBirthday = today.slice(5) >= birthDate.slice(5);
  const age = Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4)) - (hadBirthday ? 0 : 1);
  return age < 0 ? null : age;
}
