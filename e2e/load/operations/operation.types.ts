import type { Random } from '@tradewind/provider-simulator';
import type { HttpReply } from '@tradewind/testkit';
import type { Target } from '../../src/target.types.js';
import type { ServiceName } from '../../src/service-names.js';

export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** ASCII. */
  body?: string;
}

/** Something that callers ask of a service. */
export interface LoadOperation {
  name: string;
  service: ServiceName;
  /** A pod holds a rate while 99 of 100 answers come within this time, milliseconds. */
  p99MsMax: number;
  /**
   * Beyond that rate, 99 of 100 served requests are answered within this time; a second by default. A route takes 150
   * requests at once however slow it is, so that a burst is served. So slow operations wait longer here.
   */
  p99MsMaxBeyond?: number;
  /** The first rate that is tried, requests a second. */
  ratePerSecondMin: number;
  /** The rate in a soak, requests a second. */
  soakPerSecond: number;
  /** Makes what the requests need: sessions, runs, tokens. */
  prepare(target: Target, random: Random): Promise<Traffic>;
}

export interface Traffic {
  /** The next request; undefined when there is none to send, as when every session awaits an answer. */
  request(): LoadRequest | undefined;
  /** Called with each answer. */
  answered?(request: LoadRequest, reply: HttpReply): void;
}
