import type { Month } from '@tradewind/shared-types';

export type RequestStatus = 'SUCCESS' | 'FAILED';

/** A webhook that names a profile, before it is kept. */
export interface IncomingDelivery {
  identity: string;
  networkUsername: string;
  month: Month;
  correlationId: string | undefined;
  receivedAt: Date;
  requestStatus: RequestStatus;
  /** What the provider said instead of a profile. */
  reason: string | undefined;
  /** JSON text. */
  body: string;
}

/** A kept webhook on its way to warehouse and backup. */
export interface KeptDelivery {
  /** 64-bit integer as text. */
  id: string;
  identity: string;
  networkUsername: string;
  receivedAt: Date;
  requestStatus: RequestStatus;
  body: string;
  objectName: string;
  attempts: number;
  isStored: boolean;
  isBackedUp: boolean;
}

/** How far a delivery is. */
export interface DeliveryProgress {
  isStored: boolean;
  isBackedUp: boolean;
}
