import { Injectable } from '@nestjs/common';
import { FetchJsonError, fetchJson } from '@tradewind/service-kit';
import {
  retry,
  ServiceError,
  type Month,
  type ProfileCallStatus,
  type ProfileDeliveryStatus,
  type ProfileReference,
  type RetryCounts,
} from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';

/** Longest wait for one answer, milliseconds; a look-up of 1000 profiles takes some 20. */
const timeoutMs = 15_000;

/** Look-ups may be repeated; a retry as well, since the same plan starts nothing twice. */
const retryOptions = {
  attempts: 3,
  backoffMsMin: 200,
  backoffMsMax: 2_000,
  isRetryable: (error: unknown) => error instanceof FetchJsonError && error.isTransient,
};

/** Calls of the two other apps, with at most 1000 profiles each. */
@Injectable()
export class PipelineClients {
  constructor(private readonly config: AppConfig) {}

  async callStatuses(
    month: Month,
    networkUsernames: readonly string[],
    forcedRunId: string | undefined,
  ): Promise<ProfileCallStatus[]> {
    const url = `${this.config.PRIORITY_API_URL}/months/${month}/profiles/lookup`;
    const body = { network_usernames: networkUsernames, forced_run_id: forcedRunId };
    return (await this.post<{ profiles: ProfileCallStatus[] }>(url, body)).profiles;
  }

  async deliveryStatuses(
    month: Month,
    networkUsernames: readonly string[],
    since: Date,
  ): Promise<ProfileDeliveryStatus[]> {
    const url = `${this.config.PRIORITY_WEBHOOK_URL}/months/${month}/profiles/lookup`;
    const body = { network_usernames: networkUsernames, since: since.toISOString() };
    return (await this.post<{ profiles: ProfileDeliveryStatus[] }>(url, body)).profiles;
  }

  /** Starts failed and overdue profiles again, and counts the rest. */
  async retryProfiles(
    month: Month,
    plan: {
      candidates: readonly ProfileReference[];
      forcedRunId: string | undefined;
      planId: string;
      isDryRun: boolean;
    },
  ): Promise<RetryCounts> {
    const url = `${this.config.PRIORITY_API_URL}/months/${month}/profiles/retry`;
    return this.post<RetryCounts>(url, {
      profiles: plan.candidates,
      forced_run_id: plan.forcedRunId,
      plan_id: plan.planId,
      dry_run: plan.isDryRun,
      published: true,
    });
  }

  private async post<T>(url: string, body: unknown): Promise<T> {
    const headers = { authorization: `Bearer ${this.config.SERVICE_TOKEN}` };
    try {
      const answer = await retry(() => fetchJson<T>(url, { method: 'POST', headers, body, timeoutMs }), retryOptions);
      return answer.body;
    } catch (cause) {
      throw new ServiceError({
        code: 'dependency.unavailable',
        status: 503,
        message: `${new URL(url).origin} does not answer the report's questions`,
        retryable: true,
        retryAfterSeconds: 5,
        cause,
      });
    }
  }
}
