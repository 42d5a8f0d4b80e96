import type { Migration } from '@tradewind/service-kit';

/** What was kept and what was received instead, as SHA-256 at the moment when a dead letter was sent again. */
export const deadLetterDigests: Migration = {
  name: '0008-dead-letter-digests',
  up: `
    alter table dead_letter
      -- Of the text of the columns message and corrected, as hexadecimal digits.
      add column kept_sha256 text,
      add column received_sha256 text;
  `,
};
