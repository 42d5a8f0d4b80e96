// What a run writes down while it lasts: every answer, what the load was told, and every fault. The accountant reads
// this and nothing else of the harness. Instants are milliseconds since 1970.
import type { ServiceName } from '../../src/service-names.js';

/** What a service may depend on, other services included. */
export type PartName = ServiceName | 'postgresql' | 'provider' | 'object-store';

export interface Answer {
  atMs: number;
  endedMs: number;
  service: ServiceName;
  /** Method and path without ids. */
  request: string;
  /** Null: no answer, so the request may have had its effect or not. */
  status: number | null;
  isExpected: boolean;
  /** Begin of the body of an answer that is no success; of no answer the reason. */
  text: string;
}

/** `ok` and `refused` are answers that the load trusts; after `unknown` both are possible. */
export type Result = 'ok' | 'refused' | 'unknown';

export type Told =
  /** One use of an authorization code or a refresh token. `check`: introspection at the end, `ok` is active. */
  | { what: 'token'; session: string; token: string; use: 'exchange' | 'revoke' | 'check'; result: Result }
  | { what: 'client'; name: string; clientId?: string; use: 'register' | 'delete'; result: Result }
  /** `keyHash`: SHA-256 of the key in hex. */
  | { what: 'key'; user: string; name: string; keyHash?: string; result: Result }
  | { what: 'data call'; user: string; keyHash: string; result: Result }
  | { what: 'wrong password'; account: string; result: 'wrong' | 'throttled' | 'unknown' }
  /** With the password, at a page or over REST. */
  | { what: 'login'; result: Result }
  /** Of a user to a client. */
  | { what: 'consent'; result: Result }
  /** What a user did on the account pages. */
  | { what: 'account change'; change: 'password' | 'session' | 'application'; user: string; result: Result }
  /** One target of a request to start jobs. `pending`: recorded, and started later. */
  | { what: 'job'; company: string; target: string; result: Result | 'pending'; runId?: string }
  | { what: 'abort'; company: string; target: string; result: Result }
  | { what: 'month'; month: string; sentMs: number; result: Result }
  | { what: 'retry'; month: string; result: Result; started: number }
  /**
   * What an operator or its user ended, and every use of it since. `subject` of a key is its hash, or the address of
   * its user. `end`: the command or the form, `ok` is done. `try`: `refused` is a 401, or the token error of OAuth;
   * `ok` is any other answer below 500.
   */
  | { what: 'ended access'; kind: EndedAccess; subject: string; use: 'end' | 'try'; sentMs: number; result: Result };

export type EndedAccess = 'revoked key' | 'key of a disabled user' | 'session of a disabled user' | 'ended by its user';

export type ToldEntry = Told & { atMs: number };

export interface FaultWindow {
  /** Faults of one strike overlap. */
  strike: number;
  kind: string;
  detail: string;
  /** What did not work as it should. */
  parts: readonly PartName[];
  fromMs: number;
  toMs: number;
  /** When every replica was ready again after the whole strike; null when that did not happen in the run. */
  readyMs: number | null;
}

export interface LogContent {
  answers: Answer[];
  told: ToldEntry[];
  faults: FaultWindow[];
  /** Starts and ends at the provider, in their order. */
  ledger: LedgerEntry[];
}

/** As `GET /ledger` of the simulator has it; what does not matter here is left out. */
export interface LedgerEntry {
  seq: number;
  at: string;
  operation: string;
  target?: string;
  id?: string;
  effect: boolean;
  outcome: string;
  items?: { posts: number; comments: number; reactions: number };
  /** Sums of the contents of these (content-sum.ts of the simulator). */
  itemSums?: { posts: string; comments: string; reactions: string };
  /** Sum of what an ended scrape delivered. */
  contentSum?: string;
  /** What an ended run cost, US dollars. */
  costUsd?: number;
}
