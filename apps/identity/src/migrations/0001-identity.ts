import type { Migration } from '@tradewind/service-kit';

/**
 * The tables of the identity service.
 *
 * `oidc_payload` holds every short-lived object of the OpenID provider. `payload` is JSON as text: text takes any
 * string that a client may send, including an escaped U+0000, which jsonb refuses. Each value that is searched for has
 * a column with a partial index. A token among a million is read and revoked through a few index pages.
 */
export const identityTables: Migration = {
  name: '0001-identity',
  up: `
    create table user_account (
      id uuid primary key default gen_random_uuid(),
      email text not null,
      email_key text not null unique,
      email_verified boolean not null default false,
      role text not null check (role in ('USER', 'ANALYST', 'ADMIN')),
      password_hash text not null,
      name text,
      given_name text,
      family_name text,
      preferred_username text,
      disabled_at timestamptz,
      credentials_changed_at timestamptz not null default now(),
      created_at timestamptz not null default now()
    );

    create table oauth_client (
      client_id text primary key,
      metadata text not null,
      secret_sealed text,
      origin text not null check (origin in ('operator', 'registration')),
      created_at timestamptz not null default now(),
      used_at timestamptz
    );
    create index oauth_client_never_used on oauth_client (created_at) where used_at is null and origin = 'registration';

    create table oidc_payload (
      model text not null,
      id text not null,
      payload text not null,
      grant_id text,
      uid text,
      client_id text,
      account_id uuid,
      session_uid text,
      consumed_at timestamptz,
      expires_at timestamptz not null,
      primary key (model, id)
    ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
    create unique index oidc_payload_uid on oidc_payload (uid) where uid is not null;
    create index oidc_payload_grant on oidc_payload (grant_id) where grant_id is not null;
    create index oidc_payload_client on oidc_payload (client_id) where client_id is not null;
    create index oidc_payload_account on oidc_payload (account_id) where account_id is not null;
    create index oidc_payload_expires on oidc_payload (expires_at);

    create table signing_key (
      kid text primary key,
      state text not null check (state in ('next', 'current', 'previous')),
      public_jwk text not null,
      private_sealed text not null,
      created_at timestamptz not null default now(),
      activated_at timestamptz,
      expires_at timestamptz
    );
    create unique index signing_key_one_current on signing_key (state) where state = 'current';
    create unique index signing_key_one_next on signing_key (state) where state = 'next';

    create table attempt_window (
      key text primary key,
      attempts integer not null,
      window_ends_at timestamptz not null
    );
    create index attempt_window_ends on attempt_window (window_ends_at);

    create table audit_event (
      id bigint generated always as identity primary key,
      at timestamptz not null default clock_timestamp(),
      event text not null,
      user_id uuid,
      client_id text,
      ip text,
      details text not null default '{}'
    );
    create index audit_event_at on audit_event (at);
    create index audit_event_user on audit_event (user_id, id) where user_id is not null;
    create index audit_event_client on audit_event (client_id, id) where client_id is not null;
  `,
};
