import type { Migration } from '@tradewind/service-kit';

/** The language of a user's mails: that of the last sign-in, or of the invitation. Null while none is known. */
export const userLanguage: Migration = {
  name: '0011-user-language',
  up: 'alter table user_account add column language text',
};
