import type { Migration } from '@tradewind/service-kit';

/** Which profile was started in which month, the messages that asked for it, and the messages that cannot be used. */
export const profileCalls: Migration = {
  name: '0001-profile-calls',
  up: `
    create table profile_call (
      month text not null,
      network_username text collate "C" not null,
      -- 'monthly', or the id of a forced run, which scrapes everything again.
      generation text not null,
      person_id uuid not null,
      state text not null check (state in ('pending', 'starting', 'unknown', 'started', 'refused')),
      -- Our name of the scrape; stays the same over attempts, so that a late one is still recognised.
      correlation_id text not null unique,
      scrape_id text,
      -- Starts whose outcome was unknown and that began nothing.
      attempts integer not null default 0,
      reason text,
      -- pending: when it may start; starting, unknown: when the provider is asked what became of it.
      due_at timestamptz not null,
      batch_number integer,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      -- What priority-webhook knows, copied by the delivery watch.
      delivered_at timestamptz,
      delivered_status text check (delivered_status in ('SUCCESS', 'FAILED')),
      watched_at timestamptz,
      primary key (month, network_username, generation)
    );
    create index profile_call_pending on profile_call(due_at) where state = 'pending';
    create index profile_call_in_doubt on profile_call(due_at) where state in ('starting', 'unknown');
    create index profile_call_undelivered on profile_call(started_at) where state = 'started' and delivered_at is null;

    create table batch_message (
      message_id text primary key,
      month text not null,
      batch_number integer not null,
      total_batches integer not null,
      profiles integer not null,
      deliveries integer not null default 1,
      first_received_at timestamptz not null default now(),
      last_received_at timestamptz not null default now()
    );

    create table dead_letter (
      id bigint generated always as identity primary key,
      -- SHA-256 of message id, body and attributes: a redelivery counts, it adds no row.
      fingerprint text not null unique,
      message_id text,
      reason text not null,
      -- The message part of the envelope, as it came.
      message json not null,
      deliveries integer not null default 1,
      first_received_at timestamptz not null default now(),
      last_received_at timestamptz not null default now(),
      redriven_at timestamptz
    );

    -- One row: until when no start makes sense, over all replicas.
    create table provider_pause (
      only_row boolean primary key default true check (only_row),
      until timestamptz not null,
      kind text not null check (kind in ('capacity', 'outage')),
      detail text not null
    );
  `,
};
