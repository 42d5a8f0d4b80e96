// Contacts from the table to the wire.
import type { RecordSource } from '../connections/prepared-connection.js';
import type { Contact } from './contact.types.js';

export interface ContactRow extends Record<string, unknown> {
  id: string;
  name: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  emails: string[];
  company_id: string | null;
  company_name: string | null;
  person_id: string | null;
  person_name: string | null;
}

const columns: Record<keyof Contact, readonly (keyof ContactRow & string)[]> = {
  id: ['id'],
  name: ['name'],
  firstName: ['first_name'],
  lastName: ['last_name'],
  email: ['email'],
  emails: ['emails'],
  company: ['company_id', 'company_name'],
  person: ['person_id', 'person_name'],
};

/** Columns that were not selected are undefined, and so are their fields, which nobody asked for. */
export const contactSource: RecordSource<ContactRow, Contact> = {
  table: 'contact',
  columns,
  toNode: (row) => ({
    id: row.id,
    name: row.name,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    emails: row.emails,
    company: row.company_id ? { id: row.company_id, name: row.company_name } : null,
    person: row.person_id ? { id: row.person_id, name: row.person_name } : null,
  }),
};
