// In which order a person reads a record: what tells records apart first. The schema is in the order of the alphabet.
import type { EntityName, RecordField } from './schema.types';

export const mainFields: Record<EntityName, readonly string[]> = {
  companies: ['name', 'industry', 'country', 'headquarters', 'numberOfEmployees', 'revenue', 'foundedYear', 'ticker'],
  persons: ['name', 'age', 'gender', 'country', 'skills', 'salary'],
  deals: ['title', 'type', 'announcedDate', 'totalValue', 'annualValue', 'buyerCompanyNames', 'sellerCompanyNames'],
  contacts: ['name', 'email', 'company', 'person', 'emails'],
};

export function inReadingOrder(name: EntityName, fields: readonly RecordField[]): readonly RecordField[] {
  const main = mainFields[name].flatMap((one) => fields.find((field) => field.name === one) ?? []);
  return [...main, ...fields.filter((field) => !main.includes(field))];
}
