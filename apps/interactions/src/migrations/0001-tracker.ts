import type { Migration } from '@tradewind/service-kit';
import { environments } from '@tradewind/shared-types';
import { trackerTables } from '../tracker/tracker-tables.js';

/** The tracker and the tables beside it, for every environment. */
export const tracker: Migration = {
  name: '0001-tracker',
  async up(query) {
    for (const environment of environments) {
      const tables = trackerTables(environment);
      const index = (name: string) => `"${name}_${environment}"`;
      await query(`
        create table ${tables.tracker} (
          job_id uuid primary key,
          "networkUsername" text not null,
          "entityType" text not null check ("entityType" in ('COMPANY', 'PERSON')),
          status text not null check (status in ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'ABORTED')),
          user_company_id text not null,
          trigger_user_id text,
          provider_run_id text unique,
          posts_count integer,
          reactions_count integer,
          comments_count integer,
          created_at timestamptz(3) not null default now(),
          completed_date timestamptz(3),
          -- What follows is the machinery that carries a job through its states.
          target_key text not null,
          input jsonb not null,
          stage text not null check (stage in ('queued', 'starting', 'unsettled', 'following', 'storing', 'done')),
          due_at timestamptz not null default now(),
          lease_until timestamptz,
          lease_owner uuid,
          attempts integer not null default 0,
          start_fence integer not null default 0,
          start_failures integer not null default 0,
          start_called_at timestamptz,
          settle_after timestamptz,
          holds_slot boolean not null default false,
          provider_status text,
          dataset_id text,
          abort_requested_at timestamptz,
          items_read integer not null default 0,
          left_over_count integer not null default 0,
          error text,
          check (stage <> 'done' or status <> 'PENDING' and status <> 'RUNNING'),
          check (status <> 'COMPLETED' or num_nonnulls(posts_count, reactions_count, comments_count, completed_date) = 4)
        )`);
      // Two active runs of a company for one target cannot exist, whatever the code does.
      await query(`
        create unique index ${index('tracker_one_active_run')} on ${tables.tracker} (user_company_id, target_key)
        where status in ('PENDING', 'RUNNING')`);
      await query(`
        create index ${index('tracker_work')} on ${tables.tracker} (stage, due_at) where stage <> 'done'`);
      await query(`create index ${index('tracker_slots')} on ${tables.tracker} (job_id) where holds_slot`);
      await query(`create index ${index('tracker_newest')} on ${tables.tracker} (created_at desc, job_id desc)`);
      await query(`
        create index ${index('tracker_company')} on ${tables.tracker} (user_company_id, created_at desc, job_id desc)`);
      // One row: pauses all starts while the provider has no capacity, and is the lock under which slots are counted.
      await query(`
        create table ${tables.providerPause} (
          only_row boolean primary key default true check (only_row),
          paused_until timestamptz not null default '-infinity',
          refusals integer not null default 0
        )`);
      await query(`insert into ${tables.providerPause} default values`);
      await query(`
        create table ${tables.webhookInbox} (
          inbox_id bigint generated always as identity primary key,
          provider_run_id text not null,
          job_id uuid,
          event_type text not null,
          -- As received: json keeps what jsonb refuses.
          payload json not null,
          received_at timestamptz(3) not null default now(),
          processed_at timestamptz(3),
          outcome text
        )`);
      await query(`
        create unique index ${index('inbox_one_per_event')} on ${tables.webhookInbox} (provider_run_id, event_type)`);
      await query(`
        create index ${index('inbox_unprocessed')} on ${tables.webhookInbox} (inbox_id) where processed_at is null`);
      await query(`
        create index ${index('inbox_processed')} on ${tables.webhookInbox} (processed_at) where processed_at is not null`);
      await query(`
        create table ${tables.leftOverItems} (
          provider_run_id text not null,
          -- Where in the dataset: position of the item, then the path inside it.
          position text not null,
          reason text not null,
          -- json, not jsonb: it keeps NUL characters and halves of surrogate pairs, which scraped text may hold.
          raw json not null,
          kept_at timestamptz(3) not null default now(),
          primary key (provider_run_id, position)
        )`);
    }
  },
};
