import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  ServiceError,
  addRetryCounts,
  costOfProfiles,
  oldestKeptMonth,
  parseMonth,
  profileLookupMax,
  type Month,
  type ProfileReference,
  type RetryCounts,
  type RetryResult,
} from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import type { Run } from '../runs/run.entity.js';
import type { ProfileSelection } from '../runs/run.types.js';
import { RunsStore } from '../runs/runs.store.js';
import { missingReason, type ProfileStanding } from './missing-reason.js';
import { PipelineClients } from './pipeline.clients.js';

export interface MissingProfile extends ProfileReference {
  reason: string;
}

export interface MonthCounts {
  selected: number;
  published: number;
  started: number;
  received: number;
  /** Received profiles in the warehouse, failures not counted. */
  stored: number;
  backed_up: number;
  /** Profiles whose webhooks all report a failure of the provider. */
  failed: number;
  missing: number;
}

/** One group of profiles of the month, counted into `counts` so far. */
export interface MonthReportPage {
  counts: MonthCounts;
  checked: number;
  missing: MissingProfile[];
}

/** A profile of a month: its run, batch, and place in the message. */
export interface ProfilePosition {
  runId: string;
  batchNumber: number;
  place: number;
}

/** Most profiles that a page of the missing ones looks at: 20 look-ups of each app, about a second. */
const lookedAtMax = 20 * profileLookupMax;

/** Compares what was selected with what priority-api and priority-webhook know, a thousand profiles at a time. */
@Injectable()
export class MonthReportService {
  constructor(
    private readonly runs: RunsStore,
    private readonly clients: PipelineClients,
    private readonly config: AppConfig,
    private readonly events: AppEvents,
  ) {}

  /** Pages of the report; the last one holds the whole counts. Throws 404 when the month has no run. */
  async *report(month: string): AsyncGenerator<MonthReportPage> {
    const { month: known, runs } = await this.runsOf(month);
    const counts: MonthCounts = {
      selected: 0,
      published: 0,
      started: 0,
      received: 0,
      stored: 0,
      backed_up: 0,
      failed: 0,
      missing: 0,
    };
    for (const run of runs) {
      for await (const group of this.groups(run)) {
        const missing: MissingProfile[] = [];
        for (const { profile, ...standing } of await this.standings(known, run, group)) {
          count(standing, counts);
          const reason = missingReason(standing);
          if (reason !== undefined) missing.push({ ...profile, reason });
        }
        counts.missing += missing.length;
        yield { counts: { ...counts }, checked: counts.selected, missing };
      }
    }
    if (counts.selected === 0) yield { counts, checked: 0, missing: [] };
  }

  /**
   * Missing profiles, in the order of their runs and batches. A page looks at so many profiles at most. In a month that
   * is almost done it may have fewer than `limit`, or none, and a next one.
   * @throws ServiceError 404 when the month has no run
   */
  async listMissing(
    month: string,
    { after, limit }: { after?: ProfilePosition | undefined; limit: number },
  ): Promise<{ missing: MissingProfile[]; next: ProfilePosition | undefined }> {
    const { month: known, runs } = await this.runsOf(month);
    const missing: MissingProfile[] = [];
    let lookedAt = 0;
    let last: ProfilePosition | undefined;
    // A run is never removed; without its run a position is behind all.
    const first = after ? runs.findIndex(({ runId }) => runId === after.runId) : 0;
    for (const run of first < 0 ? [] : runs.slice(first)) {
      for await (const group of this.groups(run, run.runId === after?.runId ? after : undefined)) {
        if (lookedAt >= lookedAtMax) return { missing, next: last };
        for (const { profile, batchNumber, place, ...standing } of await this.standings(known, run, group)) {
          const reason = missingReason(standing);
          if (reason !== undefined && missing.length === limit) return { missing, next: last };
          if (reason !== undefined) missing.push({ ...profile, reason });
          last = { runId: run.runId, batchNumber, place };
        }
        lookedAt += group.length;
      }
    }
    return { missing, next: undefined };
  }

  /**
   * Which runs of the month have selected a profile; none when nobody selected it.
   * @throws ServiceError 404 when the month has no run
   */
  async listSelections(month: string, handle: string): Promise<ProfileSelection[]> {
    const { month: known } = await this.runsOf(month);
    return this.runs.listSelections(known, handle);
  }

  /**
   * Asks priority-api to start failed and overdue profiles again. Profiles on their way or done are only counted, so a
   * second request starts nothing more. The same plan starts nothing more even when a start has failed since.
   */
  async retryMissing(
    month: string,
    {
      planId = randomUUID(),
      isDryRun = false,
      requestedBy,
    }: { planId?: string | undefined; isDryRun?: boolean | undefined; requestedBy: string | null },
    onPage: (counts: RetryCounts) => void = () => undefined,
  ): Promise<RetryResult & { expected_cost_usd: number | null }> {
    const { month: known, runs } = await this.runsOf(month);
    // Recorded before anything is started, so that after a crash every start still has a requester.
    if (!isDryRun) {
      await this.runs.insertRetry({ planId, month: known, requestedBy });
      this.events.emit('retry_requested', { plan_id: planId, month: known, caller: requestedBy });
    }
    const sum: RetryCounts = { started: 0, on_their_way: 0, done: 0, not_known: 0 };
    for (const run of runs) {
      for await (const group of this.groups(run)) {
        const candidates: ProfileReference[] = [];
        for (const { profile, isPublished, delivery } of await this.standings(known, run, group)) {
          const hasArrived = delivery?.request_status === 'SUCCESS';
          if (hasArrived && delivery.stored && delivery.backed_up) sum.done += 1;
          // Unpublished profiles are left to the run, received ones to priority-webhook.
          else if (hasArrived || !isPublished) sum.on_their_way += 1;
          else candidates.push(profile);
        }
        if (candidates.length > 0) {
          const forcedRunId = run.forced ? run.runId : undefined;
          addRetryCounts(sum, await this.clients.retryProfiles(known, { candidates, forcedRunId, planId, isDryRun }));
        }
        onPage({ ...sum });
      }
    }
    const expected = costOfProfiles(sum.started, this.config.PROFILE_COST_USD);
    return { month: known, plan_id: planId, dry_run: isDryRun, ...sum, expected_cost_usd: expected };
  }

  private async runsOf(month: string): Promise<{ month: Month; runs: Run[] }> {
    const known = parseMonth(month);
    const runs = await this.runs.listOfMonth(known);
    if (runs.length === 0) {
      throw new ServiceError({ code: 'request.not_found', status: 404, message: `There is no run of ${month}` });
    }
    const oldest = oldestKeptMonth(new Date(), this.config.MONTHS_KEPT);
    // The rest of such a month is being removed, here and in the other two apps.
    if (month < oldest.month && runs.every(({ createdAt }) => createdAt < oldest.start)) {
      throw new ServiceError({
        code: 'request.not_found',
        status: 404,
        message: `${month} is kept no longer; the oldest month that is kept is ${oldest.month}`,
      });
    }
    return { month: known, runs };
  }

  /** The profiles of a run that no later one publishes again, as many at a time as fit one look-up. */
  private async *groups(run: Run, position?: ProfilePosition): AsyncGenerator<ReportedProfile[]> {
    const batchesAtOnce = Math.max(1, Math.floor(profileLookupMax / this.config.BATCH_PROFILES));
    for (let after = (position?.batchNumber ?? 1) - 1; ;) {
      const batches = await this.runs.listBatches(run.runId, after, batchesAtOnce);
      const last = batches.at(-1);
      if (!last) return;
      after = last.batchNumber;
      const all = batches.flatMap(({ batchNumber, profiles, places, isPublished }) =>
        profiles.map((profile, index) => ({ profile, isPublished, batchNumber, place: places[index]! })),
      );
      const group = position
        ? all.filter(({ batchNumber, place }) => batchNumber > position.batchNumber || place > position.place)
        : all;
      for (let at = 0; at < group.length; at += profileLookupMax) yield group.slice(at, at + profileLookupMax);
    }
  }

  /** What the two other apps know of these profiles of a run. */
  private async standings(
    month: Month,
    run: Run,
    group: readonly ReportedProfile[],
  ): Promise<(ReportedProfile & ProfileStanding)[]> {
    const names = group.map(({ profile }) => profile.network_username);
    // What a forced run publishes again is done only when it has arrived again.
    const since = run.forced ? run.createdAt : new Date(0);
    const [calls, deliveries] = await Promise.all([
      this.clients.callStatuses(month, names, run.forced ? run.runId : undefined),
      this.clients.deliveryStatuses(month, names, since),
    ]);
    const callOf = new Map(calls.map((call) => [call.network_username, call]));
    const deliveryOf = new Map(deliveries.map((delivery) => [delivery.network_username, delivery]));
    return group.map(({ profile, ...rest }) => ({
      profile,
      ...rest,
      call: callOf.get(profile.network_username),
      delivery: deliveryOf.get(profile.network_username),
    }));
  }
}

interface ReportedProfile {
  profile: ProfileReference;
  isPublished: boolean;
  batchNumber: number;
  place: number;
}

function count({ isPublished, call, delivery }: ProfileStanding, counts: MonthCounts): void {
  const hasProfile = delivery?.request_status === 'SUCCESS';
  counts.selected += 1;
  if (isPublished) counts.published += 1;
  // A delivery proves that the call was started, even if the provider's answer to the start was lost.
  if (call?.state === 'started' || delivery) counts.started += 1;
  if (delivery) counts.received += 1;
  if (delivery && !hasProfile) counts.failed += 1;
  if (hasProfile && delivery.stored) counts.stored += 1;
  if (hasProfile && delivery.backed_up) counts.backed_up += 1;
}
