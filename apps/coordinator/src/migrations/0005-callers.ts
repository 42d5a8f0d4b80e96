import type { Migration } from '@tradewind/service-kit';

/** Who asked for a run and for a retry. Null: nobody was known, or the run is older than this migration. */
export const callers: Migration = {
  name: '0005-callers',
  up: `
    alter table run add column triggered_by text;
    create table retry_request (
      request_id bigint generated always as identity primary key,
      plan_id uuid not null,
      month text not null,
      requested_by text,
      requested_at timestamptz not null default now()
    );
    create index retry_request_month on retry_request(month, requested_at);
  `,
};
