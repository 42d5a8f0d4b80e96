// All that the accountant knows: the log of the run, and what it reads at the end from databases, files and the
// provider's ledger. Rows are identified by what a caller or the provider knows, never by ids of the services.
import type { LogContent } from '../../log/log.types.js';
import type { ErrorLine } from './error-lines.js';

export interface Evidence extends LogContent {
  limits: {
    /** How long after a fault a service may need to be ready. */
    recoveryMs: number;
    dataCallsPerDay: number;
    registrationsPerHour: number;
    wrongPasswords: number;
    companyWithBudget: string;
    budgetUsd: number;
  };
  tracker: TrackerRow[];
  /** Rows of the three warehouse tables of each run. */
  items: RunItems[];
  /** Items of each run that fit no table. */
  leftOvers: { runId: string; rows: number }[];
  profileCalls: ProfileCall[];
  /** Backup files, by the username in their names. */
  objects: { username: string; content: ProfileContent }[];
  /** Usernames of priority people. */
  people: string[];
  /** The coordinator's runs, with the profiles that each has published. */
  monthRuns: { month: string; state: string; profiles: number }[];
  clients: { clientId: string; name: string }[];
  /** Unused refresh tokens of each grant that has any. */
  unusedTokens: { grant: string; user: string; count: number }[];
  /** What each company is said to have spent, millionths of a US dollar. */
  companyCosts: { company: string; microUsd: number }[];
  /** How often somebody asked for a retry of a month, and how many profiles that started. */
  retries: { month: string; requests: number; profiles: number }[];
  /** What services could not use and have put aside. */
  putAside: { where: string; reason: string }[];
  /** Rows of identity's audit log. Of failed logins only those of unknown users. */
  identityEvents: { event: string; count: number }[];
  keys: { keyHash: string; user: string; name: string; isRevoked: boolean }[];
  quotas: { user: string; used: number }[];
  /** Accepted uses of each key in the audit log. */
  auditedUses: { keyHash: string; count: number }[];
  /** How often the audit log says that a key was made and revoked. */
  auditedKeys: { keyHash: string; made: number; revoked: number }[];
  /** Lines of level error in the logs. */
  errorLines: ErrorLine[];
  /** Findings of the search for secrets, and what was searched. */
  logs: { findings: string[]; summary: string };
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
  leftOver: number;
}

export interface RunItems {
  runId: string;
  company: string;
  target: string;
  table: 'posts' | 'comments' | 'reactions';
  rows: number;
  /** Rows with different ids of the network. */
  distinct: number;
  /** Of the contents of all rows (content-sum.ts of the simulator). */
  sum: string;
}

export interface ProfileCall {
  username: string;
  status: string;
  content: ProfileContent;
}

export interface ProfileContent {
  /** Whose profile it is, in small letters; undefined when nothing says so. */
  person?: string;
  /** Equal for equal contents. */
  sum: string;
}
