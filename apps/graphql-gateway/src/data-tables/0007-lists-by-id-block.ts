// Records with an element that one record in a hundred has are many to sort, and far apart to walk to. An index that holds
// elements together with blocks of ids finds them block by block (src/connections/page-query.ts, `IdBlocks`), and all of
// them just as the index of the elements alone did, whose place it takes.
import type { Migration } from '@tradewind/service-kit';
import { idBlock } from './id-block.js';

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
    `create index ${name}_by_id_block on ${table} using gin (${column}, (${idBlock('id')})) with (fastupdate = off);`,
);
// Dropping keeps readers out until the transaction ends, so it comes last.
const dropped = indexes.map(([, , name]) => `drop index if exists ${name};`);

export const listsByIdBlock: Migration = {
  name: '0007-lists-by-id-block',
  up: [...made, ...dropped].join('\n'),
};
