import { Injectable } from '@nestjs/common';
import { ObjectStore, Warehouse } from '@tradewind/cloud-ports';
import { ServiceError, normaliseNetworkUsername, profileRequestType } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { DeliveriesStore, type DeliveryOfProfile } from '../deliveries/deliveries.store.js';
import type { ProfileStatusAnswer } from './profiles.dto.js';

/** Status of a profile as pipelines.md defines it: its latest row, by requestDate descending. */
@Injectable()
export class ProfilesService {
  constructor(
    private readonly warehouse: Warehouse,
    private readonly objects: ObjectStore,
    private readonly deliveries: DeliveriesStore,
    private readonly config: AppConfig,
  ) {}

  /** What came of a profile in all months that are kept, latest first. Throws 400. */
  listDeliveries(username: string, page: { after?: string | undefined; limit: number }): Promise<DeliveryOfProfile[]> {
    return this.deliveries.listOfProfile(assertHandle(username), page);
  }

  /**
   * One of them with the JSON that is stored: that of the backup, or that of the inbox while there is no backup.
   * @throws ServiceError 400 or 404; 503 when the object store does not answer
   */
  async getDelivery(
    username: string,
    id: string,
  ): Promise<DeliveryOfProfile & { source: 'backup' | 'inbox'; profile: unknown }> {
    const found = await this.deliveries.findOfProfile(assertHandle(username), id);
    if (!found)
      throw new ServiceError({ code: 'request.not_found', status: 404, message: 'There is no such delivery' });
    const { body, ...delivery } = found;
    const backup = delivery.isBackedUp ? await this.readBackup(delivery.objectName) : undefined;
    return { ...delivery, source: backup === undefined ? 'inbox' : 'backup', profile: JSON.parse(backup ?? body) };
  }

  private async readBackup(name: string): Promise<string | undefined> {
    try {
      return await this.objects.read(this.config.OBJECT_STORE_BUCKET, name);
    } catch (cause) {
      throw new ServiceError({
        code: 'dependency.unavailable',
        status: 503,
        message: 'The object store does not answer',
        retryable: true,
        retryAfterSeconds: 5,
        cause,
      });
    }
  }

  async getStatus(username: string): Promise<ProfileStatusAnswer> {
    const networkUsername = assertHandle(username);
    const call = await this.latestCall(networkUsername);
    if (!call) {
      throw new ServiceError({
        code: 'request.not_found',
        status: 404,
        message: `Nothing is stored of ${networkUsername}`,
      });
    }
    return { network_username: networkUsername, ...call, requestDate: call.requestDate.toISOString() };
  }

  private async latestCall(networkUsername: string) {
    try {
      return await this.warehouse.latestProfileCall(networkUsername, profileRequestType);
    } catch (cause) {
      throw new ServiceError({
        code: 'dependency.unavailable',
        status: 503,
        message: 'The warehouse does not answer',
        retryable: true,
        retryAfterSeconds: 5,
        cause,
      });
    }
  }
}

/** Throws 400. */
export function assertHandle(username: string): string {
  const networkUsername = normaliseNetworkUsername(username);
  if (networkUsername !== undefined) return networkUsername;
  throw new ServiceError({
    code: 'request.invalid',
    status: 400,
    message: ['username must be the handle of a profile'],
  });
}
