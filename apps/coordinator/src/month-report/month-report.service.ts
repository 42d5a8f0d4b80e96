import { Injectable } from '@nestjs/common';
import {
  ServiceError,
  isMonth,
  oldestKeptMonth,
  profileLookupMax,
  type Month,
  type ProfileBatchMessage,
  type ProfileReference,
} from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import type { Run } from '../runs/run.types.js';
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
  /** Webhooks by which the provider reported a failure, without a success beside. */
  failed: number;
  missing: number;
}

/** One group of profiles of the month, counted into `counts` so far. */
export interface MonthReportPage {
  counts: MonthCounts;
  checked: number;
  missing: MissingProfile[];
}

/** Compares what was selected with what priority-api and priority-webhook know, a thousand profiles at a time. */
@Injectable()
export class MonthReportService {
  constructor(
    private readonly runs: RunsStore,
    private readonly clients: PipelineClients,
    private readonly config: AppConfig,
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
    const since = runs.find(({ forced }) => forced)?.createdAt ?? new Date(0);
    for (const run of runs) {
      for await (const group of this.groups(run)) {
        const missing = await this.check(known, group, since, counts);
        yield { counts: { ...counts }, checked: counts.selected, missing };
      }
    }
    if (counts.selected === 0) yield { counts, checked: 0, missing: [] };
  }

  /** Starts the missing profiles of a month again: those that were refused, failed or never came; not those on their way. */
  async retryMissing(
    month: string,
    onPage: (progress: { checked: number; retried: number }) => void = () => undefined,
  ): Promise<number> {
    let retried = 0;
    for await (const page of this.report(month)) {
      const retryable = page.missing.filter(({ reason }) => !reason.startsWith('received'));
      if (retryable.length > 0) {
        const profiles = retryable.map(({ network_username, person_id }) => ({ network_username, person_id }));
        retried += await this.clients.retryProfiles(month, profiles);
      }
      onPage({ checked: page.checked, retried });
    }
    return retried;
  }

  private async runsOf(month: string): Promise<{ month: Month; runs: Run[] }> {
    if (!isMonth(month)) {
      throw new ServiceError({ code: 'request.invalid', status: 400, message: ['month must have the form YYYY-MM'] });
    }
    const runs = await this.runs.listOfMonth(month);
    if (runs.length === 0) {
      throw new ServiceError({ code: 'request.not_found', status: 404, message: `There is no run of ${month}` });
    }
    const oldest = oldestKeptMonth(new Date(), this.config.MONTHS_KEPT);
    // What of it is left is being removed, here and in the other two apps.
    if (month < oldest.month && runs.every(({ createdAt }) => createdAt < oldest.start)) {
      throw new ServiceError({
        code: 'request.not_found',
        status: 404,
        message: `${month} is kept no longer; the oldest month that is kept is ${oldest.month}`,
      });
    }
    return { month, runs };
  }

  /** The batches of a run, as many at a time as fit one look-up. */
  private async *groups(run: Run): AsyncGenerator<{ profile: ProfileReference; isPublished: boolean }[]> {
    const batchesAtOnce = Math.max(1, Math.floor(profileLookupMax / this.config.BATCH_PROFILES));
    for (let after = 0; ;) {
      const batches = await this.runs.listBatches(run.runId, after, batchesAtOnce);
      const last = batches.at(-1);
      if (!last) return;
      after = last.batchNumber;
      const group = batches.flatMap(({ message, isPublished }) =>
        // The text is our own, put together by SelectionStore.numberBatches.
        (JSON.parse(message) as ProfileBatchMessage).profiles.map((profile) => ({ profile, isPublished })),
      );
      for (let at = 0; at < group.length; at += profileLookupMax) yield group.slice(at, at + profileLookupMax);
    }
  }

  private async check(
    month: Month,
    group: readonly { profile: ProfileReference; isPublished: boolean }[],
    since: Date,
    counts: MonthCounts,
  ): Promise<MissingProfile[]> {
    const names = group.map(({ profile }) => profile.network_username);
    const [calls, deliveries] = await Promise.all([
      this.clients.callStatuses(month, names),
      this.clients.deliveryStatuses(month, names, since),
    ]);
    const callOf = new Map(calls.map((call) => [call.network_username, call]));
    const deliveryOf = new Map(deliveries.map((delivery) => [delivery.network_username, delivery]));
    const missing: MissingProfile[] = [];
    for (const { profile, isPublished } of group) {
      const standing = {
        isPublished,
        call: callOf.get(profile.network_username),
        delivery: deliveryOf.get(profile.network_username),
      };
      count(standing, counts);
      const reason = missingReason(standing);
      if (reason !== undefined) missing.push({ ...profile, reason });
    }
    counts.missing += missing.length;
    return missing;
  }
}

function count({ isPublished, call, delivery }: ProfileStanding, counts: MonthCounts): void {
  const hasProfile = delivery?.request_status === 'SUCCESS';
  counts.selected += 1;
  if (isPublished) counts.published += 1;
  // What came back was started, though the provider's answer to the start may have been lost and not be found again yet.
  if (call?.state === 'started' || delivery) counts.started += 1;
  if (delivery) counts.received += 1;
  if (delivery && !hasProfile) counts.failed += 1;
  if (hasProfile && delivery.stored) counts.stored += 1;
  if (hasProfile && delivery.backed_up) counts.backed_up += 1;
}
