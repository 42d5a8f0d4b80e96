import type { Migration } from '@tradewind/service-kit';

/**
 * Calls to clients that report the end of a session, until they succeed. And what the account pages list: a user's
 * sessions, and the grants with their last use. A session has its own id in `session_uid`, too. So the mark of an ended
 * session concerns all its rows, also those under old keys.
 */
export const sessionsAndGrantsOfUsers: Migration = {
  name: '0006-sessions-and-grants-of-users',
  up: `
    create table logout_call (
      id bigint generated always as identity primary key,
      client_id text not null,
      user_id uuid not null,
      sid text,
      attempts integer not null default 0,
      due_at timestamptz not null default now()
    );
    create index logout_call_due on logout_call (due_at);

    alter table oidc_payload add column used_at timestamptz;
    update oidc_payload set session_uid = uid where model = 'Session' and uid is not null;
    create index oidc_payload_of_user on oidc_payload (account_id, model, expires_at) where model in ('Session', 'Grant');
  `,
};
