import type { Migration } from '@tradewind/service-kit';

/**
 * What identity has reported about users whose credentials ended, and how far its list is read. The single row with
 * that position is also a lock. A key is made either before a change is applied, which then ends the key, or after it.
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
