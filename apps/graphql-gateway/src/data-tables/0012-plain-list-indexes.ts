// The indexes of words and ids without the blocks of ids of 0007, and without 0009 (decision 0038).
// Replicas of the version before this one keep answering until they are replaced. The plain indexes serve their
// statements too, which then sort all that match and take some milliseconds longer.
import type { Migration } from '@tradewind/service-kit';

const indexes = [
  ['company', 'search', 'company_search'],
  ['company', 'location_ids', 'company_locations'],
  ['company', 'headquarters_location_ids', 'company_headquarters'],
  ['person', 'identity_search', 'person_identity_search'],
  ['person', 'skill_ids', 'person_skills'],
  ['person', 'location_ids', 'person_locations'],
  ['deal', 'title_search', 'deal_title_search'],
] as const;

const created = indexes.map(
  ([table, column, name]) => `create index ${name} on ${table} using gin (${column}) with (fastupdate = off);`,
);
// Dropping locks readers out until the transaction ends, so it comes last.
const dropped = indexes.map(([, , name]) => `drop index if exists ${name}_by_id_block;`);

export const plainListIndexes: Migration = {
  name: '0012-plain-list-indexes',
  up: [...created, ...dropped, 'drop index if exists contact_words_by_id;'].join('\n'),
};
