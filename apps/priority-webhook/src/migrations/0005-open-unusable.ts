import type { Migration } from '@tradewind/service-kit';

/** Who dropped an unusable webhook stays known when it comes again. Those that are open are found by their time. */
export const openUnusable: Migration = {
  name: '0005-open-unusable',
  up: `
    -- When it was put aside the last time; dropped_at is empty again once it has come again.
    alter table unusable_payload add column last_dropped_at timestamptz;
    update unusable_payload set last_dropped_at = dropped_at where dropped_at is not null;
    create index unusable_payload_open on unusable_payload (last_received_at, fingerprint) where dropped_at is null;
  `,
};
