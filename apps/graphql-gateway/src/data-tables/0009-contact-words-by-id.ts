// An index by id that holds the words of contacts. 0012 drops it.
import type { Migration } from '@tradewind/service-kit';

export const contactWordsById: Migration = {
  name: '0009-contact-words-by-id',
  up: `create index contact_words_by_id on contact (id)
         include (search, owner_id, is_shared, is_deleted, is_blacklisted, is_contact, is_crm);`,
};
