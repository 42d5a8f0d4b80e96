// Indexes that hold blocks of 4,096 ids beside the elements of a list. 0012 replaces them with plain ones.
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

const made = indexes.map(
  ([table, column, name]) =>
    `create index ${name}_by_id_block on ${table} using gin (${column}, (array[id / 4096])) with (fastupdate = off);`,
);
// Dropping locks readers out until the transaction ends, so it comes last.
const dropped = indexes.map(([, , name]) => `drop index if exists ${name};`);

export const listsByIdBlock: Migration = {
  name: '0007-lists-by-id-block',
  up: [...made, ...dropped].join('\n'),
};
