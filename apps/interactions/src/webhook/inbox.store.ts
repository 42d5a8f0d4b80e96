import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../app.config.js';
import { trackerTables, type TrackerTables } from '../tracker/tracker-tables.js';
import { rows } from '../tracker/tracker-rows.js';

export interface ReceivedWebhook {
  runId: string;
  eventType: string;
  /** Job id that the delivery carries beside the body. */
  jobId: string | undefined;
  payload: unknown;
}

export type Acceptance = 'stored' | 'repeated' | 'unknown_run';

export interface ProcessedWebhook {
  runId: string;
  jobId: string;
  /** `applied`: the job will be looked at; `ignored`: it has ended; `surplus`: it has another run, or needs none. */
  outcome: 'applied' | 'ignored' | 'surplus';
}

/** Webhooks between their acceptance and the moment a job takes notice of them. */
@Injectable()
export class InboxStore {
  private readonly tables: TrackerTables;

  constructor(
    private readonly dataSource: DataSource,
    config: AppConfig,
  ) {
    this.tables = trackerTables(config.ENVIRONMENT);
  }

  /**
   * Stores webhooks of known runs, each event of a run once. A run is known by its id, or by the job id that came along:
   * the job is recorded before the provider is called, its run id only after the answer. Committed when this resolves.
   */
  async accept(webhooks: readonly ReceivedWebhook[]): Promise<Acceptance[]> {
    const proposals = webhooks.map((webhook, index) => ({
      n: index,
      run_id: webhook.runId,
      event_type: webhook.eventType,
      job_id: webhook.jobId ?? null,
      payload: JSON.stringify(webhook.payload),
    }));
    const accepted = await rows<{ n: number; is_new: boolean }>(
      this.dataSource,
      `with received as materialized (
         select t.n, t.run_id, t.event_type, t.payload, coalesce(by_run.job_id, by_job.job_id) as job_id
         from jsonb_to_recordset($1::jsonb) as t(n integer, run_id text, event_type text, job_id uuid, payload text)
         left join ${this.tables.tracker} as by_run on by_run.provider_run_id = t.run_id
         left join ${this.tables.tracker} as by_job on by_job.job_id = t.job_id
       ), stored as (
         insert into ${this.tables.webhookInbox} (provider_run_id, job_id, event_type, payload)
         -- In the order of the unique key: parallel statements then wait for one another instead of deadlocking.
         select distinct on (run_id, event_type) run_id, job_id, event_type, payload::json from received
         where job_id is not null
         order by run_id, event_type, n
         on conflict (provider_run_id, event_type) do nothing
         returning provider_run_id, event_type
       )
       select received.n, stored.provider_run_id is not null as is_new from received
       left join stored on stored.provider_run_id = received.run_id and stored.event_type = received.event_type
       where received.job_id is not null`,
      [JSON.stringify(proposals)],
    );
    const known = new Map(accepted.map((row) => [row.n, row.is_new]));
    return webhooks.map((_, index) => {
      const isNew = known.get(index);
      return isNew === undefined ? 'unknown_run' : isNew ? 'stored' : 'repeated';
    });
  }

  /**
   * Takes webhooks in the order of their arrival and makes their jobs due to be looked at; a job whose run was not known
   * yet gets it here. Rows that another replica is at are passed over.
   */
  async process(limit: number): Promise<ProcessedWebhook[]> {
    return this.dataSource.transaction(async (tx) => {
      const batch = await rows<{ inbox_id: string; job_id: string }>(
        tx,
        `select inbox_id, job_id from ${this.tables.webhookInbox}
         where processed_at is null order by inbox_id limit $1 for update skip locked`,
        [limit],
      );
      if (batch.length === 0) return [];
      const inboxIds = batch.map((row) => row.inbox_id);
      // Locked first, in the order of their ids, as everywhere where several jobs are changed at once.
      await tx.query(`select job_id from ${this.tables.tracker} where job_id = any($1) order by job_id for update`, [
        batch.map((row) => row.job_id),
      ]);
      await tx.query(
        `update ${this.tables.tracker} as tracker set
           provider_run_id = inbox.provider_run_id, stage = 'following', holds_slot = false, attempts = 0,
           due_at = clock_timestamp(), lease_until = null
         from ${this.tables.webhookInbox} as inbox
         where inbox.inbox_id = any($1) and tracker.job_id = inbox.job_id
           and (tracker.provider_run_id is null or tracker.provider_run_id = inbox.provider_run_id)
           and tracker.stage in ('queued', 'starting', 'unsettled', 'following')
           and tracker.status in ('PENDING', 'RUNNING')`,
        [inboxIds],
      );
      const processed = await rows<{ provider_run_id: string; job_id: string; outcome: ProcessedWebhook['outcome'] }>(
        tx,
        `update ${this.tables.webhookInbox} as inbox set
           processed_at = clock_timestamp(),
           outcome = case
             when tracker.provider_run_id is distinct from inbox.provider_run_id then 'surplus'
             when tracker.stage = 'following' then 'applied'
             else 'ignored' end
         from ${this.tables.tracker} as tracker
         where inbox.inbox_id = any($1) and tracker.job_id = inbox.job_id
         returning inbox.provider_run_id, inbox.job_id, inbox.outcome`,
        [inboxIds],
      );
      return processed.map((row) => ({ runId: row.provider_run_id, jobId: row.job_id, outcome: row.outcome }));
    });
  }

  /** Deletes processed webhooks older than that many days, a bounded number at a time. True when there are more. */
  async forget(days: number, limit: number): Promise<boolean> {
    const forgotten = await rows(
      this.dataSource,
      `delete from ${this.tables.webhookInbox} where inbox_id in (
         select inbox_id from ${this.tables.webhookInbox}
         where processed_at < clock_timestamp() - $1 * interval '1 day'
         order by processed_at limit $2 for update skip locked
       ) returning inbox_id`,
      [days, limit],
    );
    return forgotten.length === limit;
  }
}
