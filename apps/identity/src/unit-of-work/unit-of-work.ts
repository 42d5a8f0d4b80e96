// What one request to the provider, the login pages or the direct login reads and writes (decision 0021). Reads: one
// statement reads a token with its grant, client, user and session, which answer the provider's later questions without
// another round trip. Writes: everything that the provider saves or destroys is collected here. It becomes a single
// statement before the response leaves, so it happens as a whole or not at all.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientRecord, KnownClient } from '../clients/client-records.js';
import type { User } from '../users/users.types.js';

/** Characters of a `User-Agent` that are kept; those of browsers are shorter. */
const browserLengthMax = 300;

export interface PayloadRecord {
  model: string;
  /** Key in the table, see oidc/payloads/payload-adapter.ts. */
  id: string;
  /** JSON text. */
  payload: string;
  grantId?: string | undefined;
  uid?: string | undefined;
  clientId?: string | undefined;
  accountId?: string | undefined;
  sessionUid?: string | undefined;
  /** From when the row is stored, by the clock of the database, which all replicas share. */
  expiresInSeconds: number;
}

export interface AuditRecord {
  event: string;
  userId?: string | undefined;
  clientId?: string | undefined;
  ip?: string | undefined;
  details?: Record<string, unknown> | undefined;
}

/** A row as it was read: JSON text, which every reader parses because the provider changes the objects it gets. */
export interface FoundPayload {
  payload: string;
  consumedAtSeconds: number | null;
  /** Of a browser session; null when the session has been given another key. */
  uid?: string | null;
}

export class UnitOfWork {
  readonly payloads = new Map<string, FoundPayload | undefined>();
  readonly sessionsByUid = new Map<string, string | undefined>();
  readonly clients = new Map<string, KnownClient | undefined>();
  readonly users = new Map<string, User | undefined>();

  readonly upserts = new Map<string, PayloadRecord>();
  /** Rows to delete; if a required one no longer exists, the request fails. */
  readonly deletes = new Map<string, { model: string; id: string; required: boolean }>();
  /** Codes and refresh tokens that this request redeems; if one was redeemed before, the request fails. */
  readonly consumptions = new Map<string, { model: string; id: string; grantId: string | undefined }>();
  /** Grants that are read and stored again; if one no longer exists, the request fails. */
  readonly keptGrants = new Set<string>();
  readonly revokedGrants = new Map<string, { model: string; grantId: string }>();
  readonly clientUpserts = new Map<string, ClientRecord & { clientId: string }>();
  readonly clientRemovals = new Set<string>();
  /** The browser session stays as it is stored, and so does its cookie. */
  keepsSession = false;
  /** The signed access token that this request made. */
  issuedAccessToken: string | undefined;
  /** Clients that received a token. */
  readonly usedClients = new Set<string>();
  /** Grants that this request made tokens of. */
  readonly usedGrants = new Set<string>();
  readonly audits: AuditRecord[] = [];
  /** Clients that are to be told of the end of a session. */
  readonly logoutCalls: { clientId: string; userId: string; sid: string | undefined }[] = [];
  /** Attempt windows to delete, and those that get one attempt back. */
  readonly clearedAttempts: string[] = [];
  readonly refundedAttempts: string[] = [];
  /** Run after the writes are stored: log lines and counters. */
  readonly afterwards: (() => void)[] = [];

  readonly browser: string | undefined;

  /** Run at the end of the request, whether or not it succeeded. */
  readonly atEnd: (() => void)[] = [];

  /** Set when the database did not answer: the response becomes a 503, whatever the provider answered. */
  storeFailure: unknown;

  /**
   * @param ip the address of the caller
   * @param userAgent what it sent as `User-Agent`
   */
  constructor(
    readonly ip?: string,
    userAgent?: string,
  ) {
    this.browser = userAgent?.slice(0, browserLengthMax);
  }

  /** Discards all writes. */
  discardWrites(): void {
    for (const writes of this.writes) {
      if (Array.isArray(writes)) writes.length = 0;
      else writes.clear();
    }
    this.afterwards.length = 0;
  }

  get isEmpty(): boolean {
    return this.writes.every((writes) => (Array.isArray(writes) ? writes.length : writes.size) === 0);
  }

  private get writes() {
    const { upserts, deletes, consumptions, revokedGrants, clientUpserts, clientRemovals } = this;
    const keyed = [upserts, deletes, consumptions, this.keptGrants, revokedGrants, clientUpserts, clientRemovals];
    const lists = [this.audits, this.logoutCalls, this.clearedAttempts, this.refundedAttempts];
    return [...keyed, this.usedClients, this.usedGrants, ...lists];
  }
}

export const payloadKey = (model: string, id: string): string => `${model}:${id}`;

const units = new AsyncLocalStorage<UnitOfWork>();

/** The unit of the current request. The provider and the logins run nowhere else. */
export function unitOfWork(): UnitOfWork {
  const unit = units.getStore();
  if (!unit) throw new Error('outside a request there is no unit of work');
  return unit;
}

export const inUnitOfWork = <T>(unit: UnitOfWork, run: () => Promise<T>): Promise<T> =>
  units.run(unit, () =>
    run().finally(() => {
      for (const act of unit.atEnd) act();
    }),
  );
