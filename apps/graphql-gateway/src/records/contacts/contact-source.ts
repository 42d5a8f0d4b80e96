// Contacts from the table to the wire.
import { list, pair, plain, type RecordField, type RecordSource } from '../../connections/record-source.js';
import type { Contact } from './contact.types.js';

const fields: Record<keyof Contact, RecordField> = {
  id: plain('id'),
  name: plain('name'),
  firstName: plain('first_name'),
  lastName: plain('last_name'),
  email: plain('email'),
  emails: list('emails'),
  company: pair('company_id', 'company_name'),
  person: pair('person_id', 'person_name'),
};

export const contactSource: RecordSource = { table: 'contact', fields };
