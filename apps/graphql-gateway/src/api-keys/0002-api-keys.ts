import type { Migration } from '@tradewind/service-kit';

export const apiKeysTables: Migration = {
  name: '0002-api-keys',
  up: `
  create table api_key (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null,
    user_email text not null,
    name text not null check (char_length(name) between 1 and 100),
    prefix text not null,
    key_hash bytea not null unique check (octet_length(key_hash) = 32),
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    revoked_at timestamptz(3)
  );
  create index api_key_user on api_key (user_id, created_at);

  -- Append-only: one row for every key created, used, refused, revoked or rate limited.
  create table api_key_audit (
    id bigint generated always as identity primary key,
    at timestamptz(3) not null,
    outcome text not null,
    key_id uuid,
    key_prefix text,
    user_id uuid,
    ip text,
    operation_name text
  );
  create index api_key_audit_key on api_key_audit (key_id, at, id);
  create index api_key_audit_prefix on api_key_audit (key_prefix, at, id) where key_id is null;
  create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception 'the audit log is append-only';
  end $$;
  create trigger api_key_audit_append_only before update or delete or truncate on api_key_audit
    for each statement execute function refuse_change();`,
};
