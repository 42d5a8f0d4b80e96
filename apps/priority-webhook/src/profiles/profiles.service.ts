import { Injectable } from '@nestjs/common';
import { Warehouse } from '@tradewind/cloud-ports';
import { ServiceError, normaliseNetworkUsername, profileRequestType } from '@tradewind/shared-types';
import type { ProfileStatusAnswer } from './profiles.dto.js';

/** Status of a profile as pipelines.md defines it: its latest row, by requestDate descending. */
@Injectable()
export class ProfilesService {
  constructor(private readonly warehouse: Warehouse) {}

  async getStatus(username: string): Promise<ProfileStatusAnswer> {
    const networkUsername = normaliseNetworkUsername(username);
    if (networkUsername === undefined) {
      throw new ServiceError({
        code: 'request.invalid',
        status: 400,
        message: ['username must be the handle of a profile'],
      });
    }
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
