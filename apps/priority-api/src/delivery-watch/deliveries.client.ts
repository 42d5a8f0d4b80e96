import { Injectable } from '@nestjs/common';
import { fetchJson } from '@tradewind/service-kit';
import type { Month, ProfileDeliveryStatus } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';

/** Longest wait for priority-webhook, milliseconds; a look-up of 1000 profiles takes some 20. */
const timeoutMs = 10_000;

/** Calls priority-webhook. */
@Injectable()
export class DeliveriesClient {
  constructor(private readonly config: AppConfig) {}

  /**
   * The deliveries of at most 1000 profiles in a month, those since a moment if given. Profiles without one are left
   * out.
   */
  async lookup(month: Month, networkUsernames: readonly string[], since?: Date): Promise<ProfileDeliveryStatus[]> {
    const { body } = await fetchJson<{ profiles: ProfileDeliveryStatus[] }>(
      `${this.config.PRIORITY_WEBHOOK_URL}/months/${month}/profiles/lookup`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${this.config.SERVICE_TOKEN}` },
        body: { network_usernames: networkUsernames, ...(since ? { since: since.toISOString() } : {}) },
        timeoutMs,
      },
    );
    return body.profiles;
  }

  /** Delivers in place of the provider, through the provider's own webhook. */
  async deliver(body: unknown, correlationId: string): Promise<void> {
    await fetchJson(this.config.PROFILE_WEBHOOK_URL, {
      method: 'POST',
      headers: {
        'x-webhook-secret': this.config.PROFILE_WEBHOOK_SECRETS[0]!,
        'x-correlation-id': correlationId,
      },
      body,
      timeoutMs,
    });
  }
}
