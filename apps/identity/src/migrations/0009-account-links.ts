import type { Migration } from '@tradewind/service-kit';

/**
 * Links with which people set a password or confirm their address, each used once. And the mails that are to be sent. A
 * request for a mail only names an address, so it takes as long for an unknown one. The link is made when its mail is
 * sent; no table holds one.
 */
export const accountLinks: Migration = {
  name: '0009-account-links',
  up: `
    create table account_link (
      token_hash text primary key,
      user_id uuid not null references user_account on delete cascade,
      kind text not null check (kind in ('invitation', 'password', 'email')),
      credentials_version integer not null,
      is_mailed boolean not null,
      expires_at timestamptz not null
    );
    create index account_link_of_user on account_link (user_id);
    create index account_link_expires on account_link (expires_at);

    create table account_mail (
      id bigint generated always as identity primary key,
      kind text not null check (kind in ('invitation', 'password', 'email')),
      email_key text not null,
      language text not null,
      attempts integer not null default 0,
      due_at timestamptz not null default now()
    );
    create index account_mail_due on account_mail (due_at);
  `,
};
