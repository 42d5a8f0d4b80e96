import { Injectable } from '@nestjs/common';
import { BackgroundWork, Db, GroupCommit, type ChangeAuthor, type Work } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { FollowService } from '../follow/follow.service.js';
import { StartsService } from '../starts/starts.service.js';
import { JobChanges } from '../tracker/job-changes.js';
import { TimelineNotes } from '../tracker/timeline-notes.js';
import { TimelineStore } from '../tracker/timeline.store.js';
import { parseCompletionWebhook } from './completion-webhook.js';
import { InboxStore, type Acceptance, type InboxEntry, type InboxFilter, type ReceivedWebhook } from './inbox.store.js';

/** Most webhooks of one commit; a larger group would only delay its first. */
const groupSizeMax = 100;
/** Most webhooks of one pass: a few milliseconds of work, one lock per job. */
const webhooksPerPass = 200;
/** Pause between passes under load: a pass costs five statements, whether for one webhook or for many. */
const restMs = 20;

/**
 * Accepts webhooks durably, and applies them to their jobs afterwards. What arrives at the same time shares one commit,
 * so a burst costs few commits.
 */
@Injectable()
export class InboxService {
  private readonly group: GroupCommit<ReceivedWebhook, Acceptance>;
  private readonly loop: Work;

  constructor(
    private readonly db: Db,
    private readonly store: InboxStore,
    private readonly timeline: TimelineStore,
    private readonly notes: TimelineNotes,
    private readonly follow: FollowService,
    private readonly starts: StartsService,
    private readonly changes: JobChanges,
    private readonly events: AppEvents,
    config: AppConfig,
    background: BackgroundWork,
  ) {
    this.group = new GroupCommit({
      write: (webhooks) => store.accept(webhooks),
      groupSizeMax,
      splitsFaultyGroups: true,
    });
    this.loop = background.every({
      name: 'webhook inbox',
      intervalMs: config.LOOP_INTERVAL_MS,
      restMs,
      run: () => this.process(),
    });
  }

  /**
   * Resolves once the webhook is committed, or known to be a repeat. Repeats, and what was refused and names a job, are
   * in the timeline of the job.
   * @param jobId what the delivery names beside the body
   * @throws ServiceError 400 for what is no webhook, 404 when no job has its run
   */
  async receive(payload: Record<string, unknown>, jobId: string | undefined): Promise<void> {
    const webhook = await this.read(payload, jobId);
    const { runId, eventType } = webhook;
    const acceptance = await this.group.add(webhook);
    const { outcome } = acceptance;
    this.events.emit('webhook_received', { outcome, run_id: runId, event_type: eventType });
    if (outcome === 'stored') this.loop.wake();
    if (outcome === 'repeated') await this.note(acceptance.jobId, { event_type: eventType, run_id: runId, outcome });
    if (outcome === 'unknown_run')
      throw new ServiceError({ code: 'request.not_found', status: 404, message: 'No job has this run' });
  }

  private async read(payload: Record<string, unknown>, jobId: string | undefined): Promise<ReceivedWebhook> {
    try {
      return { ...parseCompletionWebhook(payload), jobId, payload };
    } catch (error) {
      if (error instanceof ServiceError && jobId !== undefined && (await this.store.knowsJob(jobId)))
        await this.note(jobId, { outcome: 'refused', reason: error.message });
      throw error;
    }
  }

  private async note(jobId: string, details: Record<string, unknown>): Promise<void> {
    await this.notes.add({ jobId, at: new Date(), kind: 'webhook', details, mayRepeat: true });
  }

  /** Newest first. */
  list(filter: InboxFilter, page: { after?: string | undefined; limit: number }): Promise<InboxEntry[]> {
    return this.store.list(filter, page);
  }

  /** @param scope the one company whose webhooks the caller may see; undefined: all. Throws 404. */
  async get(id: string, scope: string | undefined): Promise<InboxEntry & { payload: unknown }> {
    const found = await this.store.find(id, scope);
    if (!found) throw new ServiceError({ code: 'request.not_found', status: 404, message: 'There is no such webhook' });
    return found;
  }

  /**
   * Processes a webhook once more, as it was when it came. One that waits is left as it is. The provider is asked for
   * the status of the run, so a replay of an old webhook does no harm.
   */
  async replay(id: string, scope: string | undefined, author: ChangeAuthor): Promise<void> {
    const { jobId, eventType, runId } = await this.get(id, scope);
    const isReplayed = await this.db.transaction(async (tx) => {
      if (!(await this.store.replay(tx, id))) return false;
      if (jobId !== null) {
        const details = { webhook_id: id, event_type: eventType, run_id: runId, outcome: 'replayed', by: author.by };
        await this.timeline.add([{ jobId, at: new Date(), kind: 'webhook', details }], tx);
      }
      return true;
    });
    if (isReplayed) this.events.emit('webhook_replayed', { run_id: runId, job_id: jobId, caller: author.by });
    this.loop.wake();
  }

  private async process(): Promise<boolean> {
    const processed = await this.store.process(webhooksPerPass);
    for (const { runId, jobId, outcome } of processed) {
      // A webhook means that the run has ended, so there is nothing to abort.
      if (outcome === 'orphan') this.events.emit('run_orphaned', { run_id: runId, job_id: jobId });
    }
    if (processed.some(({ outcome }) => outcome === 'applied')) {
      this.changes.announce();
      this.follow.wake();
      this.starts.wake();
    }
    return processed.length === webhooksPerPass;
  }
}
