// Contacts from the table to the wire.
import { list, pair, text, type RecordField, type RecordSource } from '../../connections/record-source.js';
import type { Contact } from './contact.types.js';

const fields: Record<keyof Contact, RecordField> = {
  id: text('id'),
  name: text('name'),
  firstName: text('first_name'),
  lastName: text('last_name'),
  email: text('email'),
  emails: list('emails'),
  company: pair('company_id', 'company_name'),
  person: pair('person_id', 'person_name'),
};

export const contactSource: RecordSource = { table: 'contact', fields };
