import type { Migration } from '@tradewind/service-kit';

/**
 * The company that a user belongs to, and the list of users whose credentials ended, for other services, in the order
 * of the commits. The list begins with the users who are already disabled, so that their API keys end now.
 */
export const companiesAndCredentialChanges: Migration = {
  name: '0005-companies-and-credential-changes',
  up: `
    alter table user_account add column company_id text;

    -- The last change of each user, a deleted one included. A later change moves the row to the end.
    create table credential_change (
      user_id uuid primary key,
      credentials_version integer not null,
      position bigint not null unique,
      changed_at timestamptz not null default now()
    );
    -- Its lock makes the order of positions the order of commits: whoever takes the next one waits for the one before.
    create table credential_change_position (
      only_row boolean primary key default true check (only_row),
      last bigint not null
    );
    insert into credential_change (user_id, credentials_version, position)
    select id, credentials_version, row_number() over (order by disabled_at, id) from user_account where disabled_at is not null;
    insert into credential_change_position (last) select count(*) from credential_change;
  `,
};
