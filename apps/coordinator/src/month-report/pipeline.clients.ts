import { Injectable } from '@nestjs/common';
import { FetchJsonError, fetchJson, retry } from '@tradewind/service-kit';
import { ServiceError, type ProfileCallStatus, type ProfileDeliveryStatus } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';

/** Longest wait for one answer, milliseconds; a look-up of 1000 profiles takes some 20. */
const timeoutMs = 15_000;

/** Look-ups may be repeated; starting missing profiles again as well, since those on their way are left alone. */
const retryOptions = {
  attempts: 3,
  backoffMsMin: 200,
  backoffMsMax: 2_000,
  isRetryable: (error: unknown) => error instanceof FetchJsonError && error.isTransient,
};

/** What this app asks of the two others; at most 1000 profiles in one call. */
@Injectable()
export class PipelineClients {
  constructor(private readonly config: AppConfig) {}

  async callStatuses(month: string, networkUsernames: readonly string[]): Promise<ProfileCallStatus[]> {
    const url = `${this.config.PRIORITY_API_URL}/months/${month}/profiles/lookup`;
    return (await this.post<{ profiles: ProfileCallStatus[] }>(url, { network_usernames: networkUsernames })).profiles;
  }

  async deliveryStatuses(
    month: string,
    networkUsernames: readonly string[],
    since: Date,
  ): Promise<ProfileDeliveryStatus[]> {
    const url = `${this.config.PRIORITY_WEBHOOK_URL}/months/${month}/profiles/lookup`;
    const body = { network_usernames: networkUsernames, since: since.toISOString() };
    return (await this.post<{ profiles: ProfileDeliveryStatus[] }>(url, body)).profiles;
  }

  /** Answers how many are started again. */
  async retryProfiles(
    month: string,
    profiles: readonly { network_username: string; person_id: string }[],
  ): Promise<number> {
    const url = `${this.config.PRIORITY_API_URL}/months/${month}/profiles/retry`;
    return (await this.post<{ profiles_retried: number }>(url, { profiles })).profiles_retried;
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
