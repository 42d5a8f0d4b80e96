import type { Migration } from '@tradewind/service-kit';

/** Who sent a dead letter again, with which correction, and which were dropped, by whom and why. */
export const handledDeadLetters: Migration = {
  name: '0007-handled-dead-letters',
  up: `
    alter table dead_letter
      add column redriven_by text,
      -- The message that was received instead; null when it was the kept one.
      add column corrected json,
      add column dropped_at timestamptz,
      add column dropped_by text,
      add column drop_reason text;
    create index dead_letter_open on dead_letter (id) where redriven_at is null and dropped_at is null;
  `,
};
