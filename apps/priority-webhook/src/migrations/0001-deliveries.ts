import type { Migration } from '@tradewind/service-kit';

/** The inbox of profile webhooks, and what could not be used. */
export const deliveries: Migration = {
  name: '0001-deliveries',
  up: `
    create table delivery (
      id bigint generated always as identity primary key,
      -- What makes two deliveries the same; see delivery-identity.ts.
      identity text not null unique,
      network_username text collate "C" not null,
      month text not null,
      correlation_id text,
      received_at timestamptz not null,
      request_status text not null check (request_status in ('SUCCESS', 'FAILED')),
      reason text,
      -- As received. json, not jsonb: it is only ever written and read whole.
      body json not null,
      -- Name of the backup; unique, so that two profiles of one second get distinct names.
      object_name text not null unique,
      stored_at timestamptz,
      backed_up_at timestamptz,
      attempts integer not null default 0,
      last_error text,
      -- When the background may (again) try to store it.
      due_at timestamptz not null
    );
    create index delivery_due on delivery(due_at) where stored_at is null or backed_up_at is null;
    create index delivery_unfinished on delivery(received_at) where stored_at is null or backed_up_at is null;
    create index delivery_profile on delivery(month, network_username);
    create index delivery_received on delivery(received_at);

    create table unusable_payload (
      -- SHA-256 of the body: a repeat counts, it adds no row.
      fingerprint text primary key,
      reason text not null,
      body json not null,
      correlation_id text,
      times integer not null default 1,
      first_received_at timestamptz not null,
      last_received_at timestamptz not null
    );
    create index unusable_payload_received on unusable_payload(last_received_at);
  `,
};
