import type { Migration } from '@tradewind/service-kit';

/**
 * Which credentials of its user a row goes back to. A new password, or disabling the user, makes a new version: whatever
 * a request that was under way stores afterwards carries the old one and is worth nothing. Null: stored before there
 * were versions, or nobody has signed in yet.
 */
export const credentialsVersion: Migration = {
  name: '0003-credentials-version',
  up: `
    alter table user_account add column credentials_version integer not null default 1;
    alter table oidc_payload add column credentials_version integer;
  `,
};
