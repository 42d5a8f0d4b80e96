import { Injectable } from '@nestjs/common';
import { BackgroundWork, GroupCommit, type Work } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { FollowService } from '../follow/follow.service.js';
import { StartsService } from '../starts/starts.service.js';
import { JobChanges } from '../tracker/job-changes.js';
import { InboxStore, type Acceptance, type ReceivedWebhook } from './inbox.store.js';

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
    private readonly store: InboxStore,
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

  /** Resolves once the webhook is committed, or known to be a repeat or of no run of ours. */
  async accept(webhook: ReceivedWebhook): Promise<Acceptance> {
    const acceptance = await this.group.add(webhook);
    this.events.emit('webhook_received', { outcome: acceptance, run_id: webhook.runId, event_type: webhook.eventType });
    if (acceptance === 'stored') this.loop.wake();
    return acceptance;
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
