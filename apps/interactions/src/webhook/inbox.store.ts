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
   *
   * Two small statements: PostgreSQL plans each in a fraction of the time that one with all of it takes, and a job, once
   * recorded, does not go away between them.
   */
  async accept(webhooks: readonly ReceivedWebhook[]): Promise<Acceptance[]> {
    const jobIds = await this.findJobs(webhooks);
    const acceptances = webhooks.map((webhook): Acceptance => (jobIds.has(webhook) ? 'repeated' : 'unknown_run'));
    // In the order of the unique key: parallel statements then wait for one another instead of deadlocking.
    const known = [...webhooks.entries()].filter(([, webhook]) => jobIds.has(webhook));
    known.sort(([, one], [, other]) => (keyOf(one) < keyOf(other) ? -1 : 1));
    if (known.length === 0) return acceptances;
    const proposals = known.map(([, webhook]) => webhook);
    const stored = await rows<{ provider_run_id: string; event_type: string }>(
      this.dataSource,
      `insert into ${this.tables.webhookInbox} (provider_run_id, job_id, event_type, payload)
       select * from unnest($1::text[], $2::uuid[], $3::text[], $4::json[])
       on conflict (provider_run_id, event_type) do nothing
       returning provider_run_id, event_type`,
      [
        proposals.map(({ runId }) => runId),
        proposals.map((webhook) => jobIds.get(webhook)),
        proposals.map(({ eventType }) => eventType),
        proposals.map(({ payload }) => JSON.stringify(payload)),
      ],
    );
    const isNew = new Set(stored.map((row) => keyOf({ runId: row.provider_run_id, eventType: row.event_type })));
    // Of equal ones in a group the first is the stored one: it takes the key out of the set.
    for (const [index, webhook] of known) if (isNew.delete(keyOf(webhook))) acceptances[index] = 'stored';
    return acceptances;
  }

  /** The jobs of those webhooks whose run or job is known. */
  private async findJobs(webhooks: readonly ReceivedWebhook[]): Promise<Map<ReceivedWebhook, string>> {
    const byRun = new Map(
      (
        await rows<{ provider_run_id: string; job_id: string }>(
          this.dataSource,
          `select provider_run_id, job_id from ${this.tables.tracker} where provider_run_id = any($1)`,
          [webhooks.map(({ runId }) => runId)],
        )
      ).map((row) => [row.provider_run_id, row.job_id]),
    );
    const named = webhooks.filter(({ runId, jobId }) => jobId !== undefined && !byRun.has(runId));
    const byJob = new Set(
      named.length === 0
        ? []
        : (
            await rows<{ job_id: string }>(
              this.dataSource,
              `select job_id from ${this.tables.tracker} where job_id = any($1)`,
              [named.map(({ jobId }) => jobId)],
            )
          ).map((row) => row.job_id),
    );
    const jobs = new Map<ReceivedWebhook, string>();
    for (const webhook of webhooks) {
      const { runId, jobId } = webhook;
      const found = byRun.get(runId) ?? (jobId !== undefined && byJob.has(jobId) ? jobId : undefined);
      if (found !== undefined) jobs.set(webhook, found);
    }
    return jobs;
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
         from (
           select distinct on (provider_run_id) provider_run_id, job_id from ${this.tables.webhookInbox}
           where inbox_id = any($1) order by provider_run_id, inbox_id
         ) as inbox
         where tracker.job_id = inbox.job_id
           and (tracker.provider_run_id is null or tracker.provider_run_id = inbox.provider_run_id)
           -- A run belongs to one job, whatever the headers of its webhooks say: the first that got it keeps it.
           and not exists (
             select from ${this.tables.tracker} as other
             where other.provider_run_id = inbox.provider_run_id and other.job_id <> inbox.job_id)
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

/** Neither part can hold a space (completion-webhook.ts), so that distinct webhooks have distinct keys. */
function keyOf({ runId, eventType }: Pick<ReceivedWebhook, 'runId' | 'eventType'>): string {
  return `${runId} ${eventType}`;
}
