import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { GroupCommit, storableJson, withinMs } from '@tradewind/service-kit';
import {
  monthOf,
  monthOfCorrelationId,
  parseMonth,
  ServiceError,
  type ProfileDeliveryStatus,
  type ProfileLookup,
} from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { UnusablePayloadsStore } from '../unusable/unusable-payloads.store.js';
import { DeliveriesStore, type InsertedDelivery } from './deliveries.store.js';
import type { DeliveryProgress, IncomingDelivery } from './delivery.types.js';
import { leaseMs, ProfileStoringService } from './profile-storing.service.js';
import { deliveryIdentity } from './delivery-identity.js';
import { readProfilePayload } from './profile-payload.js';

/** Webhooks kept by one insert. */
const groupSizeMax = 100;
/** Longest correlation id that is kept, characters; our own ids are shorter. */
const correlationIdLengthMax = 200;

interface KeptAndTried extends InsertedDelivery {
  /** The attempt to store it that has begun; absent when it waits in the inbox. */
  attempt?: Promise<DeliveryProgress>;
}

/** Receives profile webhooks: keeps them durably in the inbox, then tries to store and back them up at once. */
@Injectable()
export class DeliveriesService {
  private readonly inserts: GroupCommit<IncomingDelivery, KeptAndTried>;

  constructor(
    private readonly store: DeliveriesStore,
    private readonly unusable: UnusablePayloadsStore,
    private readonly storing: ProfileStoringService,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
  ) {
    this.inserts = new GroupCommit({ write: (group) => this.keep(group), groupSizeMax, splitsFaultyGroups: true });
  }

  /** Waits DELIVERY_WAIT_MS at most and answers what is done by then; the rest continues in the background. */
  async receive(body: unknown, headers: { correlationId: string | undefined }): Promise<DeliveryProgress> {
    const receivedAt = new Date();
    const correlationId = headers.correlationId?.slice(0, correlationIdLengthMax) || undefined;
    const incoming = await this.read(body, correlationId, receivedAt);
    const { delivery, isNew, attempt } = await this.inserts.add(incoming);
    if (!isNew) {
      this.events.emit('profile_repeated', { network_username: delivery.networkUsername });
      return this.storing.progressOf(delivery);
    }
    this.events.emit('profile_received', {
      network_username: delivery.networkUsername,
      status: delivery.requestStatus,
      reason: incoming.reason,
    });
    if (!attempt) return delivery;
    return withinMs(this.config.DELIVERY_WAIT_MS, () => attempt).catch(() => delivery);
  }

  /** The best delivery of each profile in a month, of those received since a moment if given. */
  async lookup(month: string, { network_usernames, since }: ProfileLookup): Promise<ProfileDeliveryStatus[]> {
    return this.store.listBest(parseMonth(month), network_usernames, since ? new Date(since) : new Date(0));
  }

  /** Keeps a group durably, and begins at once to store it when there is room. */
  private async keep(group: readonly IncomingDelivery[]): Promise<KeptAndTried[]> {
    const isAttempted = this.storing.hasRoomFor(group.length);
    const inserted = await this.store.insert(group, isAttempted ? leaseMs(this.config) : 0);
    if (!isAttempted) return inserted;
    return inserted.map((one) => (one.isNew ? { ...one, attempt: this.storing.attemptFresh(one.delivery) } : one));
  }

  private async read(body: unknown, correlationId: string | undefined, receivedAt: Date): Promise<IncomingDelivery> {
    const payload = readProfilePayload(body);
    if (payload.kind === 'unusable') {
      const text = storableJson(body ?? null);
      const fingerprint = hash('sha256', text);
      await this.unusable.keep({ fingerprint, reason: payload.message, body: text, correlationId, receivedAt });
      this.events.emit('profile_unusable', { reason: payload.reason });
      // 400: the webhook is kept for inspection, and sending it again cannot help.
      throw new ServiceError({ code: 'request.invalid', status: 400, message: [payload.message] });
    }
    const requestStatus = payload.kind === 'profile' ? 'SUCCESS' : 'FAILED';
    const { networkUsername } = payload;
    // The month the scrape was asked for; a webhook that nobody asked for belongs to the month in which it came.
    const month = (correlationId && monthOfCorrelationId(correlationId)) || monthOf(receivedAt);
    return {
      identity: deliveryIdentity({ networkUsername, month, requestStatus, correlationId, body }),
      networkUsername,
      month,
      correlationId,
      receivedAt,
      requestStatus,
      reason: payload.kind === 'failure' ? payload.reason : undefined,
      body: storableJson(body),
    };
  }
}
