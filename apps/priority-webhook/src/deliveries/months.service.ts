import { Injectable } from '@nestjs/common';
import { parseMonth, type ProfileDeliveryStatus, type ProfileLookup } from '@tradewind/shared-types';
import { DeliveriesStore } from './deliveries.store.js';

@Injectable()
export class MonthsService {
  constructor(private readonly deliveries: DeliveriesStore) {}

  async lookup(month: string, { network_usernames, since }: ProfileLookup): Promise<ProfileDeliveryStatus[]> {
    return this.deliveries.listBest(parseMonth(month), network_usernames, since ? new Date(since) : new Date(0));
  }
}
