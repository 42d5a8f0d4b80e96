import type { Migration } from '@tradewind/service-kit';

/**
 * What a user proves after the password. `second_factor_at` is set while the user has an authenticator app or a
 * passkey. `last_step` is the time step of the last code that was taken: that code and earlier ones are refused.
 */
export const secondFactors: Migration = {
  name: '0008-second-factors',
  up: `
    alter table user_account add column second_factor_at timestamptz;

    create table totp_secret (
      user_id uuid primary key references user_account on delete cascade,
      secret_sealed text not null,
      last_step bigint not null,
      created_at timestamptz not null default now()
    );

    create table passkey (
      id text primary key,
      user_id uuid not null references user_account on delete cascade,
      public_key text not null,
      sign_count bigint not null,
      transports text[] not null,
      is_synced boolean not null,
      name text not null,
      created_at timestamptz not null default now(),
      used_at timestamptz
    );
    create index passkey_of_user on passkey (user_id, created_at);

    create table recovery_code (
      user_id uuid not null references user_account on delete cascade,
      code_hash text not null,
      primary key (user_id, code_hash)
    );
  `,
};
