import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  claimTimes,
  lookAgainMsMax,
  nextStep,
  pauseAfter,
  ProfileProvider,
  type ProfileStartOutcome,
  type StartFailure,
} from '@tradewind/scraping-provider';
import { BackgroundWork, GroupCommit, withinMs, type Work } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import type { CallGroup, CallOutcome, ClaimedCall } from './profile-call.types.js';
import { ProfileCallsStore } from './profile-calls.store.js';

/** Outcomes recorded by one update. */
const groupSizeMax = 100;
/** While others hold every slot, a push looks again this often, milliseconds. */
const slotPollMs = 50;
/** While starting pauses, a push looks again this often, milliseconds, so that a stop waits no longer. */
const pausePollMs = 500;

/** Longest pass in the background, milliseconds, so that a stop waits no longer. */
const passMs = 60_000;

/** What one round of starts has done. */
export interface StartTally {
  started: number;
  /** At least one start found the provider down, or got an unclear answer. */
  metOutage: boolean;
}

/**
 * Starts profiles: claims them in the database, calls the provider and records the outcome. Pushes use it for their own
 * profiles, the background for all that are due. A crash between claim and record leaves the start unsettled, and
 * UnsettledCalls asks the provider before anything is started again.
 */
@Injectable()
export class ProfileStarter {
  private readonly parallel: number;
  private readonly times: ReturnType<typeof claimTimes>;
  private readonly outcomes: GroupCommit<CallOutcome, void>;
  private readonly underWay = new Set<Promise<void>>();
  private readonly loop: Work;

  constructor(
    private readonly store: ProfileCallsStore,
    private readonly provider: ProfileProvider,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    private readonly background: BackgroundWork,
  ) {
    this.loop = background.every({
      name: 'start profiles',
      intervalMs: config.LOOP_INTERVAL_MS,
      run: async (signal) => {
        await this.start({ deadlineMs: performance.now() + passMs, signal });
      },
    });
    this.times = claimTimes(config);
    this.parallel = Math.min(config.START_PARALLEL, config.PROVIDER_SLOTS);
    this.outcomes = new GroupCommit({
      write: async (group) => {
        await this.store.recordOutcomes(group);
        // A number that stays too high only makes a pause longer.
        if (group.some(({ state }) => state === 'started')) await this.store.noteStart().catch(() => undefined);
        return group.map(() => undefined);
      },
      groupSizeMax,
      // An outcome quotes the provider. A repeated one changes nothing: the row is in another state by then.
      splitsFaultyGroups: true,
    });
  }

  /**
   * Starts profiles until none is left, the deadline passes, a pause begins that a push cannot wait for, or the process
   * stops.
   * @param options.deadlineMs by `performance.now()`
   */
  async start(options: { group?: CallGroup; deadlineMs: number; signal?: AbortSignal }): Promise<StartTally> {
    const { group, deadlineMs, signal } = options;
    const tally: StartTally = { started: 0, metOutage: false };
    const own = new Set<Promise<void>>();
    const isOver = () =>
      this.background.stopping.aborted || signal?.aborted === true || performance.now() >= deadlineMs;
    while (!isOver()) {
      const room = this.parallel - this.underWay.size;
      const claimedMs = performance.now();
      const claimed = room > 0 ? await this.claim(room, group) : [];
      for (const call of claimed) this.launch(call, claimedMs, tally, own);
      if (claimed.length === room && room > 0) continue;
      if (own.size > 0) await Promise.race([...own, sleep(slotPollMs)]);
      else {
        const waitMs = room > 0 ? await this.waitMs(group, deadlineMs) : slotPollMs;
        if (waitMs === undefined) break;
        await sleep(waitMs);
      }
    }
    // The outcomes of starts on their way belong to the tally. Later ones are recorded all the same.
    await withinMs(Math.max(0, deadlineMs - performance.now()), () => Promise.all(own)).catch(() => undefined);
    return tally;
  }

  /** Looks for work at once: there is something to start. */
  wake(): void {
    this.loop.wake();
  }

  private claim(limit: number, group: CallGroup | undefined): Promise<ClaimedCall[]> {
    const { leaseMs, settleMs } = this.times;
    const slots = this.config.PROVIDER_SLOTS;
    return this.store.claim({ limit, slots, leaseMs, settleMs, ...(group ? { group } : {}) });
  }

  /**
   * When nothing could be claimed: after which wait a push tries again. Others hold the slots, or the provider has room
   * before its time is over. Undefined: the rest is left to the background.
   */
  private async waitMs(group: CallGroup | undefined, deadlineMs: number): Promise<number | undefined> {
    if (!group) return undefined;
    const pause = await this.store.findPause();
    if (pause && (pause.kind === 'outage' || performance.now() + pause.leftMs >= deadlineMs)) return undefined;
    if ((await this.store.countClaimable(group)) === 0) return undefined;
    return pause ? Math.min(pause.leftMs, pausePollMs) : slotPollMs;
  }

  private launch(call: ClaimedCall, claimedMs: number, tally: StartTally, own: Set<Promise<void>>): void {
    const work = this.startOne(call, claimedMs, tally).finally(() => {
      this.underWay.delete(work);
      own.delete(work);
    });
    this.underWay.add(work);
    void this.background.track(work);
    own.add(work);
  }

  /** Never rejects: a start whose outcome cannot be recorded is left unsettled, and UnsettledCalls looks it up. */
  private async startOne(call: ClaimedCall, claimedMs: number, tally: StartTally): Promise<void> {
    // A process that was frozen since the claim must not start what another process may settle by now.
    if (performance.now() - claimedMs > this.times.sendWithinMs) return;
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
      // The database is away: the lease of the claim runs out, and UnsettledCalls asks the provider.
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
    const { correlationId, startFence, failures } = call;
    const claim = { correlationId, startFence };
    if (result.outcome === 'started')
      return { ...claim, state: 'started', scrapeId: result.scrapeId, startedAt: new Date() };
    await this.noteFailure(result, tally);
    const { detail } = result;
    const next = nextStep(result, { failures, ageMs: 0 }, this.config);
    switch (next.step) {
      case 'retry':
        return { ...claim, state: 'pending', reason: detail, afterMs: next.afterMs, failures: next.failures };
      case 'settle': {
        const { settleMs } = next;
        const afterMs = Math.min(settleMs, lookAgainMsMax);
        return { ...claim, state: 'unknown', reason: detail, afterMs, settleMs };
      }
      case 'give_up': {
        const status = result.outcome === 'refused' ? `${result.status}: ` : '';
        return { ...claim, state: 'refused', reason: status + detail };
      }
    }
  }

  /** Pauses all starts when the provider is full or down. */
  private async noteFailure(failure: StartFailure, tally: StartTally): Promise<void> {
    if (failure.outcome === 'unavailable' || failure.outcome === 'unknown_outcome') tally.metOutage = true;
    try {
      const decide = (failuresInARow: number) => pauseAfter(failure, failuresInARow);
      const pause = await this.store.noteFailure(failure.detail, decide);
      if (pause) this.events.emit('provider_paused', { kind: pause.kind, after_ms: pause.pauseMs });
    } catch {
      // A pause only spares the provider; nothing depends on it.
    }
  }
}
