import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ProfileProvider, type ProfileStartOutcome } from '@tradewind/scraping-provider';
import { GroupCommit } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import type { CallGroup, CallOutcome, ClaimedCall } from './profile-call.types.js';
import { ProfileCallsStore } from './profile-calls.store.js';
import { askAgainMs, sendWithinMs, settleMs } from './start-retry.js';
import { StartWindow } from './start-window.js';

/** Outcomes recorded by one update. */
const groupSizeMax = 100;
/** While others hold every slot, a push looks again this often, milliseconds. */
const slotPollMs = 50;
/** A pause after unclear answers is short: the next look may find the provider back. */
const outagePauseMs = 2_000;

/** What one round of starting has done. */
export interface StartTally {
  started: number;
  /** Some start met a provider that is down, or whose answer told nothing. */
  metOutage: boolean;
}

/**
 * Starts profiles: claims them in the database, calls the provider, records what became of it. Used by pushes, for
 * their own profiles, and by the background, for all that are due. A crash between claim and record leaves the
 * profile in doubt; the reconciler asks the provider before anything is started again.
 */
@Injectable()
export class ProfileStarter implements OnModuleDestroy {
  private readonly window: StartWindow;
  private readonly outcomes: GroupCommit<CallOutcome, void>;
  private readonly underWay = new Set<Promise<void>>();
  private isStopping = false;

  constructor(
    private readonly store: ProfileCallsStore,
    private readonly provider: ProfileProvider,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
  ) {
    this.window = new StartWindow(Math.min(config.START_PARALLEL, config.PROVIDER_SLOTS));
    this.outcomes = new GroupCommit({
      write: async (group) => {
        await this.store.recordOutcomes(group, config.START_ATTEMPTS);
        return group.map(() => undefined);
      },
      groupSizeMax,
      // An outcome quotes the provider. A repeated one changes nothing: the row is in another state by then.
      splitsFaultyGroups: true,
    });
  }

  /** Starts profiles until none is left to start, the deadline passes, starting pauses or the process stops. */
  async start(options: { group?: CallGroup; deadline: Date; signal?: AbortSignal }): Promise<StartTally> {
    const { group, deadline, signal } = options;
    const tally: StartTally = { started: 0, metOutage: false };
    const own = new Set<Promise<void>>();
    const isOver = () => this.isStopping || signal?.aborted === true || Date.now() >= deadline.getTime();
    while (!isOver()) {
      const room = this.window.open - this.underWay.size;
      const claimedMs = performance.now();
      const claimed = room > 0 ? await this.claim(room, group) : [];
      for (const call of claimed) this.launch(call, claimedMs, tally, own);
      if (claimed.length === room && room > 0) continue;
      if (own.size > 0) await within(Promise.race(own), slotPollMs);
      else if (room > 0 && !(await this.mayContinue(group))) break;
      else await sleep(slotPollMs);
    }
    // What is on its way is waited for, the provider's time limit at most: its outcome belongs into the tally.
    await within(Promise.all(own), Math.max(0, deadline.getTime() - Date.now()));
    return tally;
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.underWay);
  }

  private claim(limit: number, group: CallGroup | undefined): Promise<ClaimedCall[]> {
    const { PROVIDER_SLOTS: slots, PROVIDER_TIMEOUT_MS: timeoutMs, START_SETTLE_SILENT_MS: silentMs } = this.config;
    // After the lease the provider is asked what became of the start; after the doubt its absence is proof.
    const leaseMs = sendWithinMs + timeoutMs + Math.min(askAgainMs, silentMs);
    const doubtMs = sendWithinMs + timeoutMs + silentMs;
    return this.store.claim({ limit, slots, leaseMs, doubtMs, ...(group ? { group } : {}) });
  }

  /** Nothing could be claimed: whether a push should wait because others hold the slots its profiles need. */
  private async mayContinue(group: CallGroup | undefined): Promise<boolean> {
    if (!group || (await this.store.findPause())) return false;
    return (await this.store.countClaimable(group)) > 0;
  }

  private launch(call: ClaimedCall, claimedMs: number, tally: StartTally, own: Set<Promise<void>>): void {
    const work = this.startOne(call, claimedMs, tally).finally(() => {
      this.underWay.delete(work);
      own.delete(work);
    });
    this.underWay.add(work);
    own.add(work);
  }

  /** Never rejects: an outcome that cannot be recorded leaves the profile in doubt, and the reconciler finds out. */
  private async startOne(call: ClaimedCall, claimedMs: number, tally: StartTally): Promise<void> {
    // A process that was frozen since the claim must not start what somebody else may have taken up.
    if (performance.now() - claimedMs > sendWithinMs) return;
    const result = await this.provider.startProfile({
      networkUsername: call.networkUsername,
      webhookUrl: this.config.PROFILE_WEBHOOK_URL,
      webhookHeaders: { 'x-webhook-secret': this.config.PROFILE_WEBHOOK_SECRETS[0]! },
      correlationId: call.correlationId,
    });
    this.events.emit('provider_call', { outcome: result.outcome, network_username: call.networkUsername });
    const outcome = await this.outcomeOf(call, result, tally);
    try {
      await this.outcomes.add(outcome);
    } catch {
      // The database is away: the claim's lease runs out, and the provider is asked what became of the start.
      return;
    }
    if (outcome.state === 'started') {
      tally.started += 1;
      this.events.emit('profile_started', { network_username: call.networkUsername, scrape_id: outcome.scrapeId });
    }
    if (outcome.state === 'refused')
      this.events.emit('profile_refused', { network_username: call.networkUsername, reason: outcome.reason });
  }

  private async outcomeOf(call: ClaimedCall, result: ProfileStartOutcome, tally: StartTally): Promise<CallOutcome> {
    const { correlationId } = call;
    switch (result.outcome) {
      case 'started':
        this.window.started();
        return { correlationId, state: 'started', scrapeId: result.scrapeId, startedAt: new Date() };
      case 'rejected':
        return { correlationId, state: 'refused', reason: `${result.status}: ${result.detail}` };
      case 'no_capacity':
        if (this.window.noCapacity()) await this.pauseStarting('capacity', result.retryAfterMs, result.detail);
        return {
          correlationId,
          state: 'pending',
          reason: result.detail,
          afterMs: result.retryAfterMs,
          isFailure: false,
        };
      case 'unavailable':
        tally.metOutage = true;
        if (this.window.noAnswer()) await this.pauseStarting('outage', result.retryAfterMs, result.detail);
        return {
          correlationId,
          state: 'pending',
          reason: result.detail,
          afterMs: result.retryAfterMs,
          isFailure: false,
        };
      case 'unknown_outcome':
        tally.metOutage = true;
        if (this.window.noAnswer()) await this.pauseStarting('outage', outagePauseMs, result.detail);
        return this.inDoubt(correlationId, result);
    }
  }

  private inDoubt(
    correlationId: string,
    { status, detail }: { status: number | undefined; detail: string },
  ): CallOutcome {
    const { START_SETTLE_MS: answeredMs, START_SETTLE_SILENT_MS: silentMs } = this.config;
    const settle = settleMs(status, { answeredMs, silentMs });
    return { correlationId, state: 'unknown', reason: detail, afterMs: Math.min(settle, askAgainMs), settleMs: settle };
  }

  private async pauseStarting(kind: 'capacity' | 'outage', afterMs: number, detail: string): Promise<void> {
    try {
      await this.store.pause(afterMs, kind, detail);
      this.events.emit('provider_paused', { kind, after_ms: afterMs });
    } catch {
      // A pause spares the provider and is nothing that correctness needs; the database being away is felt elsewhere.
    }
  }
}

/** Waits for the work, but no longer than that; leaves no timer behind. */
async function within(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const timer = new AbortController();
  try {
    await Promise.race([work, sleep(timeoutMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  } finally {
    timer.abort();
  }
}
