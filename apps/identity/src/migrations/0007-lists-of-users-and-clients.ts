import type { Migration } from '@tradewind/service-kit';

/**
 * What the administration API lists, of all companies or of one: users and clients, newest first, and users by the
 * beginning of their address. In collation C the texts with one beginning lie side by side.
 */
export const listsOfUsersAndClients: Migration = {
  name: '0007-lists-of-users-and-clients',
  up: `
    create index user_account_newest on user_account (created_at, id);
    create index user_account_address on user_account (email_key collate "C");
    create index user_account_role on user_account (role, created_at, id);
    create index user_account_company on user_account (company_id, created_at, id) where company_id is not null;
    create index user_account_company_address on user_account (company_id, email_key collate "C")
      where company_id is not null;
    create index oauth_client_newest on oauth_client (created_at, client_id);
  `,
};
