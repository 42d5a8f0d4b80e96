import type { Item } from './item.types.js';

type Status = 'READY' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED-OUT' | 'ABORTING' | 'ABORTED';

/** An ad-hoc webhook as the client sends it with a start. */
export interface AdHocWebhook {
  eventTypes: string[];
  requestUrl: string;
  payloadTemplate?: string;
  headersTemplate?: string;
  idempotencyKey?: string;
  doNotRetry?: boolean;
}

/** What a start allows the run to cost; absent is without limit. */
export interface RunLimits {
  maxItems?: number;
  maxTotalChargeUsd?: number;
}

export interface Run {
  id: string;
  actorId: string;
  status: Status;
  statusMessage: string | null;
  startedAt: Date;
  finishedAt: Date | null;
  datasetId: string;
  inputStoreId: string;
  requestQueueId: string;
  buildId: string;
  input: Item;
  /** Handle of the first target; what faults and the ledger go by. */
  target: string;
  correlationId: string | undefined;
  webhooks: AdHocWebhook[];
  limits: RunLimits;
  dataset: { isEmpty: boolean; hasBrokenItems: boolean };
  /** What is known of its cost so far, US dollars; undefined when the provider never says. */
  costUsd: number | undefined;
  /** How long after its end the whole cost is known; undefined: never. */
  costDelayMs: number | undefined;
  timer: NodeJS.Timeout | undefined;
  onEnd: (() => void)[];
}
