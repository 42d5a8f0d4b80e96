import type { Migration } from '@tradewind/service-kit';

/**
 * A small table of its own holds what is still to be done for a delivery. So the wide one is written once and never
 * changed (docs/decisions/0045-webhooks-are-stored-first.md).
 */
export const openDeliveries: Migration = {
  name: '0003-open-deliveries',
  up: `
    create table open_delivery (
      -- The delivery; no foreign key, which would lock its row with every insert.
      id bigint primary key,
      received_at timestamptz not null,
      body_bytes integer not null,
      is_stored boolean not null default false,
      is_backed_up boolean not null default false,
      attempts integer not null default 0,
      last_error text,
      -- When the background may (again) try to store it. Not indexed: a change of it then touches no index.
      due_at timestamptz not null
    ) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

    insert into open_delivery(id, received_at, body_bytes, is_stored, is_backed_up, attempts, last_error, due_at)
    select id, received_at, octet_length(body::text), stored_at is not null, backed_up_at is not null, attempts, last_error, due_at
    from delivery where stored_at is null or backed_up_at is null;

    -- With their indexes.
    alter table delivery drop column stored_at, drop column backed_up_at, drop column attempts, drop column last_error,
      drop column due_at;

    -- A name begins with its handle, so one index settles the names and finds the deliveries of a profile.
    alter table delivery drop constraint delivery_object_name_key;
    drop index delivery_profile;
    create unique index delivery_profile_object on delivery(network_username, object_name);
    -- Rows lie in the order of their arrival: old ones are found at next to no cost for new ones.
    create index delivery_received on delivery using brin(received_at) with (autosummarize = on);
  `,
};
