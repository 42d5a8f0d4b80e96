import type { Migration } from '@tradewind/service-kit';

/** The monthly runs, the batches of each, and a scratch table for selecting people. */
export const runs: Migration = {
  name: '0001-runs',
  up: `
    create table run (
      run_id uuid primary key default gen_random_uuid(),
      month text not null,
      state text not null check (state in ('selecting', 'publishing', 'completed')),
      forced boolean not null,
      dry_run boolean not null,
      profile_limit integer,
      -- The process that works on it; a process that is no longer named here must stop (see run-lock.ts).
      holder uuid,
      selected integer not null default 0,
      people_read integer not null default 0,
      without_username integer not null default 0,
      unusable_usernames integer not null default 0,
      duplicates integer not null default 0,
      published_before integer not null default 0,
      total_batches integer not null default 0,
      published_batches integer not null default 0,
      published_profiles integer not null default 0,
      last_error text,
      created_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz
    );
    create index run_month on run(month, created_at);
    -- One run at a time, whatever the month: the constraint, not only the lock, says so.
    create unique index run_unfinished on run((true)) where state <> 'completed';

    create table run_batch (
      run_id uuid not null references run on delete cascade,
      batch_number integer not null,
      profiles integer not null,
      -- The message body, exactly as published.
      message text not null,
      published_at timestamptz,
      primary key (run_id, batch_number)
    );
    create index run_batch_unpublished on run_batch(run_id, batch_number) where published_at is null;

    -- Rows of the run that is selecting, rebuilt when it is resumed: unlogged, since nothing of it need survive a crash.
    create unlogged table selected_person (
      run_id uuid not null,
      position integer not null,
      person_id uuid not null,
      network_username text collate "C" not null
    );
  `,
};
