// All that the accountant knows: the log of the run, and what it reads at the end from databases, files and the
// provider's ledger. Rows are identified by what a caller or the provider knows, never by ids of the services.
import type { LogContent } from '../../log/log.types.js';

export interface Evidence extends LogContent {
  limits: { dataCallsPerDay: number; registrationsPerHour: number; wrongPasswords: number };
  tracker: TrackerRow[];
  /** Rows of the three warehouse tables of each run. */
  items: RunItems[];
  profileCalls: ProfileCall[];
  /** Names of backup files. */
  objects: string[];
  /** Usernames of priority people. */
  people: string[];
  clients: { clientId: string; name: string }[];
  /** Unused refresh tokens of each grant that has any. */
  unusedTokens: { grant: string; count: number }[];
  keys: { keyHash: string; user: string; name: string }[];
  quotas: { user: string; used: number }[];
  /** Accepted uses of each key in the audit log. */
  auditedUses: { keyHash: string; count: number }[];
  auditedKeys: { keyHash: string; count: number }[];
  /** Replicas that did not end in time after SIGTERM. */
  killedAtStop: string[];
  /** Processes that ended although nobody ended them. */
  deaths: readonly string[];
}

export interface TrackerRow {
  company: string;
  target: string;
  status: string;
  runId: string | null;
  posts: number | null;
  comments: number | null;
  reactions: number | null;
}

export interface RunItems {
  runId: string;
  table: 'posts' | 'comments' | 'reactions';
  rows: number;
  /** Rows with different ids of the network. */
  distinct: number;
}

export interface ProfileCall {
  username: string;
  status: string;
}
