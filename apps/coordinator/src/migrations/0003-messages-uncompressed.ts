import type { Migration } from '@tradewind/service-kit';

/** Messages are written once and read once within minutes: compressing them costs more than the room it saves. */
export const messagesUncompressed: Migration = {
  name: '0003-messages-uncompressed',
  up: `alter table run_batch alter column message set storage external`,
};
