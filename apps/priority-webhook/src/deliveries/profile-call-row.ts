import { hash } from 'node:crypto';
import type { WarehouseRows } from '@tradewind/cloud-ports';
import { profileRequestType } from '@tradewind/shared-types';
import type { KeptDelivery } from './delivery.types.js';

/** The row of scraped_profile_calls for a delivery (pipelines.md). A delivery always gives the same row_id. */
export function profileCallRow(delivery: KeptDelivery, ingestedAt: Date): WarehouseRows['scraped_profile_calls'] {
  return {
    row_id: hash('sha256', `profile-call|${delivery.identity}`),
    requestResource: delivery.networkUsername,
    requestType: profileRequestType,
    requestDate: delivery.receivedAt,
    requestStatus: delivery.requestStatus,
    responseData: JSON.parse(delivery.body) as unknown,
    ingested_at: ingestedAt,
  };
}
