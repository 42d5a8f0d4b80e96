import type { Migration } from '@tradewind/service-kit';

/** Which profile a retry has started again, and which scrapes count as lost. */
export const retries: Migration = {
  name: '0003-retries',
  up: `
    -- Since then the scrape counts as lost, see profile-calls/retry-rule.ts; "reason" says why.
    alter table profile_call add column lost_at timestamptz;

    -- One row for each profile that a plan has started: the same plan starts none twice.
    create table profile_retry (
      plan_id uuid not null,
      month text not null,
      network_username text collate "C" not null,
      generation text not null,
      retried_at timestamptz not null default now(),
      primary key (plan_id, month, network_username, generation),
      foreign key (month, network_username, generation) references profile_call on delete cascade
    );
    create index profile_retry_call on profile_retry(month, network_username, generation);
  `,
};
