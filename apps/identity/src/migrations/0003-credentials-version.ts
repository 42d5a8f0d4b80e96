import type { Migration } from '@tradewind/service-kit';

/**
 * The version of the user's credentials with which a row was made. A new password, or disabling the user, makes a new
 * version: what a request in progress stores afterwards has the old one and is worthless. Null: stored before there
 * were versions, or nobody has signed in yet.
 */
export const credentialsVersion: Migration = {
  name: '0003-credentials-version',
  up: `
    alter table user_account add column credentials_version integer not null default 1;
    alter table oidc_payload add column credentials_version integer;
  `,
};
