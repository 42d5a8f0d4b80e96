import type { Migration } from '@tradewind/service-kit';

/** Which unusable webhooks a person has put aside, and why. One that comes again is shown again. */
export const droppedUnusable: Migration = {
  name: '0004-dropped-unusable',
  up: `
    alter table unusable_payload
      add column dropped_at timestamptz,
      add column dropped_by text,
      add column drop_reason text;
    create index unusable_payload_latest on unusable_payload (last_received_at, fingerprint);
    drop index unusable_payload_received;
  `,
};
