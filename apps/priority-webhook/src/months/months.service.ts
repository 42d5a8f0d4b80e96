import { Injectable } from '@nestjs/common';
import { ServiceError, isMonth, type ProfileDeliveryStatus, type ProfileLookup } from '@tradewind/shared-types';
import { DeliveriesStore } from '../deliveries/deliveries.store.js';

@Injectable()
export class MonthsService {
  constructor(private readonly deliveries: DeliveriesStore) {}

  async lookup(month: string, { network_usernames, since }: ProfileLookup): Promise<ProfileDeliveryStatus[]> {
    if (!isMonth(month)) {
      throw new ServiceError({ code: 'request.invalid', status: 400, message: ['month must have the form YYYY-MM'] });
    }
    return this.deliveries.listBest(month, network_usernames, since ? new Date(since) : new Date(0));
  }
}
