import type { Migration } from '@tradewind/service-kit';
import { environments } from '@tradewind/shared-types';
import { trackerTables } from '../tracker/tracker-tables.js';

/**
 * What happened to each job, and how jobs are searched. Triggers write the transitions and webhooks: whatever moves a
 * job or an inbox row also writes the entry, in the same transaction. The service adds its calls to the provider.
 */
export const timeline: Migration = {
  name: '0004-timeline',
  async up(query) {
    for (const environment of environments) {
      const { tracker, webhookInbox, timeline: table } = trackerTables(environment);
      const name = (what: string) => `"${what}_${environment}"`;
      await query(`
        create table ${table} (
          entry_id bigint generated always as identity primary key,
          -- No foreign key: its checks would wait for whoever has locked the job.
          job_id uuid not null,
          at timestamptz(3) not null default clock_timestamp(),
          kind text not null check (kind in ('transition', 'provider_call', 'webhook')),
          details jsonb not null
        )`);
      await query(`create index ${name('timeline_of_job')} on ${table} (job_id, entry_id)`);

      await query(`
        create function ${name('note_transition')}() returns trigger language plpgsql as $note$
        begin
          insert into ${table} (job_id, kind, details) values (new.job_id, 'transition', jsonb_strip_nulls(jsonb_build_object(
            'stage', new.stage, 'status', new.status, 'run_id', new.provider_run_id, 'run_status', new.provider_status,
            'error', new.error, 'abort_requested', case when new.abort_requested_at is not null then true end)));
          return null;
        end $note$`);
      await query(`
        create trigger ${name('transition_of_new_job')} after insert on ${tracker}
        for each row execute function ${name('note_transition')}()`);
      await query(`
        create trigger ${name('transition_of_job')}
        after update of stage, status, provider_run_id, provider_status, error, abort_requested_at on ${tracker}
        for each row when (
          (old.stage, old.status, old.provider_run_id, old.provider_status, old.error, old.abort_requested_at)
          is distinct from
          (new.stage, new.status, new.provider_run_id, new.provider_status, new.error, new.abort_requested_at))
        execute function ${name('note_transition')}()`);

      await query(`
        create function ${name('note_webhook')}() returns trigger language plpgsql as $note$
        begin
          insert into ${table} (job_id, kind, details) values (new.job_id, 'webhook', jsonb_build_object(
            'webhook_id', new.inbox_id::text, 'event_type', new.event_type, 'run_id', new.provider_run_id,
            'outcome', coalesce(new.outcome, 'received')));
          return null;
        end $note$`);
      await query(`
        create trigger ${name('webhook_of_job')} after insert on ${webhookInbox}
        for each row when (new.job_id is not null) execute function ${name('note_webhook')}()`);
      await query(`
        create trigger ${name('webhook_processed')} after update of outcome on ${webhookInbox}
        for each row when (new.job_id is not null and new.outcome is not null)
        execute function ${name('note_webhook')}()`);

      // Of the target key, which has the handle in lower case, as JavaScript has it.
      const handle = `substr(target_key, strpos(target_key, ':') + 1) collate "C"`;
      await query(`create index ${name('tracker_handle')} on ${tracker} (${handle}, job_id)`);
      await query(`create index ${name('tracker_company_handle')} on ${tracker} (user_company_id, ${handle}, job_id)`);
      await query(`create index ${name('inbox_of_job')} on ${webhookInbox} (job_id, inbox_id)`);
    }
  },
};
