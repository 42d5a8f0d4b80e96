// Persons from the table to the wire.
import type { Gender } from '@tradewind/filters';
import type { Money } from '../connections/money.js';
import type { RecordSource } from '../connections/prepared-connection.js';
import type { Lookups } from '../dictionaries/dictionaries.service.js';
import type { Person, PersonIdentifier } from './person.types.js';

export interface PersonRow extends Record<string, unknown> {
  id: string;
  first_name: string | null;
  last_name: string | null;
  name: string;
  gender: Gender | null;
  birth_date: string | null;
  country_id: string | null;
  skill_ids: string[] | undefined;
  category_ids: string[];
  identifiers: PersonIdentifier[];
  gross_salary: Money | null;
  gross_salary_lower_range: Money | null;
  gross_salary_upper_range: Money | null;
}

const columns: Record<keyof Person, readonly (keyof PersonRow & string)[]> = {
  id: ['id'],
  firstName: ['first_name'],
  lastName: ['last_name'],
  name: ['name'],
  gender: ['gender'],
  age: ['birth_date'],
  skills: ['skill_ids'],
  categoryIds: ['category_ids'],
  country: ['country_id'],
  identifiers: ['identifiers'],
  salary: ['gross_salary', 'gross_salary_lower_range', 'gross_salary_upper_range'],
};

/** @param today `YYYY-MM-DD`, UTC. Columns that were not selected are undefined, and so are their fields. */
export function personSource(lookups: Lookups, today: string): RecordSource<PersonRow, Person> {
  return {
    table: 'person',
    columns,
    toNode: (row) => ({
      id: row.id,
      firstName: row.first_name,
      lastName: row.last_name,
      name: row.name,
      gender: row.gender,
      age: row.birth_date ? ageOn(today, row.birth_date) : null,
      skills: (row.skill_ids ?? []).flatMap((id) => lookups.skills.get(id) ?? []),
      categoryIds: row.category_ids,
      country: lookups.countries.get(row.country_id!) ?? null,
      identifiers: row.identifiers,
      salary: {
        grossSalary: row.gross_salary,
        grossSalaryLowerRange: row.gross_salary_lower_range,
        grossSalaryUpperRange: row.gross_salary_upper_range,
      },
    }),
  };
}

/** Whole years between two dates `YYYY-MM-DD`; null for a birth in the future. */
export function ageOn(today: string, birthDate: string): number | null {
  const hadBirthday = today.slice(5) >= birthDate.slice(5);
  const age = Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4)) - (hadBirthday ? 0 : 1);
  return age < 0 ? null : age;
}
