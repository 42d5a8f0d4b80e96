import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { JobsStore } from '../tracker/jobs.store.js';
import { trackerTables } from '../tracker/tracker-tables.js';
import type { JobId } from '../tracker/tracker.types.js';
import { TransitionsStore } from '../tracker/transitions.store.js';

export interface ReceivedWebhook {
  runId: string;
  eventType: string;
  /** Job id that the delivery carries beside the body. */
  jobId: string | undefined;
  payload: unknown;
}

/** A webhook as it lies in the inbox. */
export interface InboxEntry {
  id: string;
  runId: string;
  jobId: JobId | null;
  eventType: string;
  receivedAt: Date;
  processedAt: Date | null;
  /** Null until it is processed. */
  outcome: ProcessedWebhook['outcome'] | null;
}

export interface InboxFilter {
  runId?: string | undefined;
  jobId?: string | undefined;
  /** The company of the job. */
  userCompanyId?: string | undefined;
}

export type Acceptance =
  { outcome: 'stored' | 'repeated'; jobId: string } | { outcome: 'unknown_run'; jobId?: undefined };

export interface ProcessedWebhook {
  runId: string;
  jobId: string;
  /**
   * `applied`: the job will be looked at; `ignored`: it has ended; `orphan`: the job has another run, or needs none.
   */
  outcome: 'applied' | 'ignored' | 'orphan';
}

const entryColumns = `inbox_id::text as id, provider_run_id as "runId", job_id as "jobId", event_type as "eventType",
  received_at as "receivedAt", processed_at as "processedAt", outcome`;

/** Webhooks from their acceptance until they are applied to their jobs. */
@Injectable()
export class InboxStore {
  private readonly inbox: string;
  private readonly tracker: string;

  constructor(
    private readonly db: Db,
    private readonly jobs: JobsStore,
    private readonly transitions: TransitionsStore,
    config: AppConfig,
  ) {
    const tables = trackerTables(config.ENVIRONMENT);
    this.inbox = tables.webhookInbox;
    this.tracker = tables.tracker;
  }

  /**
   * Stores webhooks of known runs, each event of a run once. A run is known by its id, or by the job id of the webhook.
   * The job is recorded before the provider is called, its run id only after the answer. Committed when this resolves.
   *
   * Small statements on purpose. PostgreSQL plans them in a fraction of the time that one large statement takes, and a
   * recorded job does not vanish between them.
   */
  async accept(webhooks: readonly ReceivedWebhook[]): Promise<Acceptance[]> {
    const jobIds = await this.findJobs(webhooks);
    const acceptances = webhooks.map((webhook): Acceptance => {
      const jobId = jobIds.get(webhook);
      return jobId === undefined ? { outcome: 'unknown_run' } : { outcome: 'repeated', jobId };
    });
    // In the order of the unique key: parallel statements then wait for one another instead of deadlocking.
    const known = [...webhooks.entries()].filter(([, webhook]) => jobIds.has(webhook));
    known.sort(([, one], [, other]) => (keyOf(one) < keyOf(other) ? -1 : 1));
    if (known.length === 0) return acceptances;
    const proposals = known.map(([, webhook]) => webhook);
    const stored = await this.db.rows<{ provider_run_id: string; event_type: string }>(
      `insert into ${this.inbox} (provider_run_id, job_id, event_type, payload)
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
    // Of equal webhooks in a group the first is the stored one: it takes the key out of the set.
    for (const [index, webhook] of known)
      if (isNew.delete(keyOf(webhook))) acceptances[index] = { outcome: 'stored', jobId: jobIds.get(webhook)! };
    return acceptances;
  }

  async knowsJob(id: string): Promise<boolean> {
    return (await this.jobs.listKnown([id])).has(id);
  }

  /** The jobs of those webhooks whose run or job is known. */
  private async findJobs(webhooks: readonly ReceivedWebhook[]): Promise<Map<ReceivedWebhook, string>> {
    const byRun = await this.jobs.listByRun(webhooks.map(({ runId }) => runId));
    const named = webhooks.filter(({ runId, jobId }) => jobId !== undefined && !byRun.has(runId));
    const known = await this.jobs.listKnown(named.map(({ jobId }) => jobId!));
    const found = new Map<ReceivedWebhook, string>();
    for (const webhook of webhooks) {
      const { runId, jobId } = webhook;
      const id = byRun.get(runId) ?? (jobId !== undefined && known.has(jobId) ? jobId : undefined);
      if (id !== undefined) found.set(webhook, id);
    }
    return found;
  }

  /**
   * Takes webhooks in the order of their arrival and makes their jobs due to be looked at. A job whose run was not
   * known yet gets it here. Skips rows that another replica holds.
   */
  async process(limit: number): Promise<ProcessedWebhook[]> {
    return this.db.transaction(async (tx) => {
      const batch = await tx.rows<{ inboxId: string; jobId: JobId; runId: string }>(
        `select inbox_id as "inboxId", job_id as "jobId", provider_run_id as "runId" from ${this.inbox}
         where processed_at is null order by inbox_id limit $1 for update skip locked`,
        [limit],
      );
      if (batch.length === 0) return [];
      const jobs = await this.transitions.applyWebhooks(tx, batch);
      const processed = batch.map(({ runId, jobId }): ProcessedWebhook => {
        const job = jobs.get(jobId);
        if (job && job.providerRunId !== runId) return { runId, jobId, outcome: 'orphan' };
        return { runId, jobId, outcome: job?.stage === 'following' ? 'applied' : 'ignored' };
      });
      await tx.affected(
        `update ${this.inbox} as inbox set processed_at = clock_timestamp(), outcome = processed.outcome
         from unnest($1::bigint[], $2::text[]) as processed(inbox_id, outcome)
         where inbox.inbox_id = processed.inbox_id`,
        [batch.map(({ inboxId }) => inboxId), processed.map(({ outcome }) => outcome)],
      );
      return processed;
    });
  }

  /** One page, newest first. */
  async list(
    filter: InboxFilter,
    { after, limit }: { after?: string | undefined; limit: number },
  ): Promise<InboxEntry[]> {
    const { conditions, bind, parameters } = this.conditionsOf(filter);
    if (after !== undefined) conditions.push(`inbox_id < ${bind(after)}::bigint`);
    return this.db.rows<InboxEntry>(
      `select ${entryColumns} from ${this.inbox} as inbox where ${conditions.join(' and ')} order by inbox_id desc limit ${limit}`,
      parameters,
    );
  }

  /** One webhook with what the provider sent. */
  async find(id: string, userCompanyId?: string): Promise<(InboxEntry & { payload: unknown }) | undefined> {
    const { conditions, bind, parameters } = this.conditionsOf({ userCompanyId });
    conditions.push(`inbox_id = ${bind(id)}::bigint`);
    const [found] = await this.db.rows<InboxEntry & { payload: unknown }>(
      `select ${entryColumns}, payload from ${this.inbox} as inbox where ${conditions.join(' and ')}`,
      parameters,
    );
    return found;
  }

  /** Makes a processed webhook wait to be processed again. False when there is none, or it waits already. */
  async replay(tx: Tx, id: string): Promise<boolean> {
    const changed = await tx.affected(
      `update ${this.inbox} set processed_at = null, outcome = null where inbox_id = $1::bigint and processed_at is not null`,
      [id],
    );
    return changed > 0;
  }

  private conditionsOf({ runId, jobId, userCompanyId }: InboxFilter) {
    const parameters: unknown[] = [];
    const bind = (value: unknown) => `$${parameters.push(value)}`;
    const conditions = ['true'];
    if (runId !== undefined) conditions.push(`provider_run_id = ${bind(runId)}`);
    if (jobId !== undefined) conditions.push(`job_id = ${bind(jobId)}::uuid`);
    if (userCompanyId !== undefined) {
      conditions.push(
        `exists (select from ${this.tracker} job where job.job_id = inbox.job_id and user_company_id = ${bind(userCompanyId)})`,
      );
    }
    return { conditions, bind, parameters };
  }

  /** Removes webhooks that were processed more than that many days ago, oldest first. */
  async removeProcessed(tx: Tx, days: number, limit: number): Promise<number> {
    return tx.affected(
      `delete from ${this.inbox} where inbox_id in (
         select inbox_id from ${this.inbox}
         where processed_at < clock_timestamp() - $1 * interval '1 day'
         order by processed_at limit $2 for update skip locked
       )`,
      [days, limit],
    );
  }
}

/** Neither part can hold a space (completion-webhook.ts), so that distinct webhooks have distinct keys. */
function keyOf({ runId, eventType }: Pick<ReceivedWebhook, 'runId' | 'eventType'>): string {
  return `${runId} ${eventType}`;
}
