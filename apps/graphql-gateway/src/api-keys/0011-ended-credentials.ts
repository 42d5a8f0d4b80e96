import type { Migration } from '@tradewind/service-kit';

/**
 * What identity has told of users whose credentials ended, and how far its list is read. The one row of the place is also
 * the lock between taking a change over and making a key: a key is made before the change, which then ends it, or after it.
 */
export const endedCredentials: Migration = {
  name: '0011-ended-credentials',
  up: `
  -- 0: made before versions were kept; any change that is told later ends such a key.
  alter table api_key add column credentials_version integer not null default 0;
  create table ended_credentials (
    user_id uuid primary key,
    -- Keys made with a lower version are worth nothing.
    credentials_version integer not null
  );
  create table credential_changes_read (
    only_row boolean primary key default true check (only_row),
    cursor text not null
  );
  insert into credential_changes_read (cursor) values ('0');`,
};
