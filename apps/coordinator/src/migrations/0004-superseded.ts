import type { Migration } from '@tradewind/service-kit';

/** Handles of a batch that a later forced run of the month publishes again: the report counts them there. */
export const superseded: Migration = {
  name: '0004-superseded',
  up: `
    alter table run_batch add column superseded text[] not null default '{}';
    update run_batch older set superseded = found.names
    from (
      select r.run_id, b.batch_number, array_agg(distinct profile ->> 'network_username') as names
      from run r join run_batch b using (run_id), json_array_elements(b.message::json -> 'profiles') as profile
      where exists (
        select from run later join run_batch lb using (run_id), json_array_elements(lb.message::json -> 'profiles') as other
        where later.month = r.month and later.forced and not later.dry_run and later.created_at > r.created_at
          and other ->> 'network_username' = profile ->> 'network_username')
      group by 1, 2) found
    where older.run_id = found.run_id and older.batch_number = found.batch_number;
  `,
};
