// An API key lives 1 to 365 days, is shown once, is looked up by its hash, and can be revoked by operators.
// The look-up fails closed: a key that cannot be looked up is refused.
import { timingSafeEqual } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';
import { ServiceError, type CredentialChangesPage } from '@tradewind/shared-types';
import { LRUCache } from 'lru-cache';
import { AppConfig } from '../app.config.js';
import { Clock } from '../clock.js';
import { invalidToken } from '../login/invalid-token.js';
import { RefusedKeysLimit } from '../rate-limit/refused-keys-limit.js';
import { displayPrefix, generateApiKey, hashApiKey, isWellFormedApiKey } from './api-key-format.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeysStore } from './api-keys.store.js';
import type { AuditEntry, AuditOutcome } from './audit-entry.entity.js';
import { AuditLogService } from './audit-log.service.js';
import { EndedCredentialsStore } from './ended-credentials.store.js';

// Limits the memory that invented but well-formed keys can take to about 10 MB.
const cachedKeysMax = 20_000;
const dayMs = 86_400_000;

interface CachedKey {
  hash: Buffer;
  key: ApiKey | undefined;
  /** By `Clock.elapsedMs`. */
  loadedAt: number;
}

@Injectable()
export class ApiKeysService implements OnModuleDestroy {
  private readonly cache = new LRUCache<string, CachedKey>({ max: cachedKeysMax });
  /** Look-ups under way, so that many requests with one key read it once. */
  private readonly lookups = new Map<string, Promise<ApiKey | undefined>>();
  /** Keys in use that will expire from the cache soon. */
  private renewing = new Map<string, CachedKey>();
  private renewalTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: Db,
    private readonly store: ApiKeysStore,
    private readonly audit: AuditLogService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly refusedKeys: RefusedKeysLimit,
    private readonly endedCredentials: EndedCredentialsStore,
  ) {}

  onModuleDestroy(): void {
    clearTimeout(this.renewalTimer);
  }

  /** Makes a key and returns it, the only time it exists in clear. 401 when the user's credentials have ended. */
  async create(options: {
    userId: string;
    userEmail: string;
    credentialsVersion: number;
    name: string;
    expiresInDays: number;
    ip: string | null;
    operationName: string | null;
  }): Promise<string> {
    const key = generateApiKey();
    const createdAt = this.clock.now();
    const made = {
      userId: options.userId,
      userEmail: options.userEmail,
      name: options.name,
      prefix: displayPrefix(key),
      hash: hashApiKey(key),
      credentialsVersion: options.credentialsVersion,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + options.expiresInDays * dayMs),
    };
    const isMade = await this.endedCredentials.betweenChanges(async (tx) => {
      const keyId = await this.store.insert(tx, made);
      if (keyId === undefined) return false;
      await this.audit.store(tx, [
        {
          at: createdAt,
          outcome: 'created',
          keyId,
          keyPrefix: made.prefix,
          userId: made.userId,
          ip: options.ip,
          operationName: options.operationName,
        },
      ]);
      return true;
    });
    if (!isMade) throw invalidToken();
    return key;
  }

  /**
   * The key that a caller presents. 401 without a reason, which only the audit log has; 429 after too many of these.
   */
  async authenticate(presented: string, ip: string): Promise<ApiKey> {
    const hash = hashApiKey(presented);
    const cacheKey = hash.toString('base64');
    const check = async () => {
      const key = await this.find(hash, cacheKey, presented);
      if (!key || !timingSafeEqual(key.hash, hash)) throw this.refuse('refused_unknown', presented, undefined, ip);
      if (key.revokedAt) throw this.refuse('refused_revoked', presented, key, ip);
      if (key.expiresAt <= this.clock.now()) throw this.refuse('refused_expired', presented, key, ip);
      return key;
    };
    const isKnown = this.isUsable(this.cache.get(cacheKey)?.key) || this.lookups.has(cacheKey);
    return isKnown ? check() : this.refusedKeys.counted(ip, check);
  }

  async list(filter: { idOrPrefix?: string; user?: string }): Promise<ApiKey[]> {
    return this.store.list(filter);
  }

  /** Keys by id, by displayed prefix, or by the whole key. */
  async listNamed(name: string): Promise<ApiKey[]> {
    return isWellFormedApiKey(name) ? this.store.findByHashes([hashApiKey(name)]) : this.list({ idOrPrefix: name });
  }

  /** Revokes the keys made with credentials that have ended since. Call `forget` after the commit. */
  async end(tx: Tx, changes: CredentialChangesPage['changes']): Promise<ApiKey[]> {
    const ended = await this.store.revokeOfEndedCredentials(tx, changes, this.clock.now());
    await this.audit.store(tx, ended.map(revocationOf));
    return ended;
  }

  /** Makes this replica refuse these keys at once. */
  forget(ended: readonly ApiKey[]): void {
    for (const key of ended) this.cache.delete(key.hash.toString('base64'));
  }

  /** Revokes a key; false when it already was. Every replica refuses it within KEY_CACHE_MS. */
  async revoke(key: ApiKey): Promise<boolean> {
    const revokedAt = this.clock.now();
    const isChanged = await this.db.transaction(async (tx) => {
      if (!(await this.store.revoke(tx, key.id, revokedAt))) return false;
      await this.audit.store(tx, [revocationOf({ ...key, revokedAt })]);
      return true;
    });
    this.forget([key]);
    return isChanged;
  }

  private isUsable(key: ApiKey | undefined): boolean {
    return key !== undefined && !key.revokedAt && key.expiresAt > this.clock.now();
  }

  private async find(hash: Buffer, cacheKey: string, presented: string): Promise<ApiKey | undefined> {
    const now = this.clock.elapsedMs();
    const cached = this.cache.get(cacheKey);
    const ageMs = cached ? now - cached.loadedAt : Infinity;
    if (cached && ageMs < this.config.KEY_CACHE_MS) {
      if (ageMs >= this.config.KEY_CACHE_MS / 2) this.renewSoon(cacheKey, cached);
      return cached.key;
    }
    // A text that cannot be a key costs no query and no place in the cache.
    if (!isWellFormedApiKey(presented)) return undefined;
    let lookup = this.lookups.get(cacheKey);
    if (!lookup) {
      lookup = this.lookUp(hash, cacheKey, now).finally(() => this.lookups.delete(cacheKey));
      this.lookups.set(cacheKey, lookup);
    }
    return lookup.catch((cause: unknown) => {
      throw keysUnavailable(cause);
    });
  }

  /** @param now when the reading begins: what it finds is as old as that, also for callers who join it later */
  private async lookUp(hash: Buffer, cacheKey: string, now: number): Promise<ApiKey | undefined> {
    const key = await this.store.findByHash(hash);
    this.cache.set(cacheKey, { hash, key, loadedAt: now });
    return key;
  }

  /** Reads keys in use again before they expire from the cache, many with one statement. No request waits for it. */
  private renewSoon(cacheKey: string, cached: CachedKey): void {
    this.renewing.set(cacheKey, cached);
    this.renewalTimer ??= setTimeout(() => {
      this.renewalTimer = undefined;
      // Without the database the keys expire from the cache, and then requests fail.
      this.renew().catch(() => undefined);
    }, this.config.KEY_CACHE_MS / 4).unref();
  }

  private async renew(): Promise<void> {
    const renewed = this.renewing;
    this.renewing = new Map();
    const loadedAt = this.clock.elapsedMs();
    const keys = await this.store.findByHashes([...renewed.values()].map(({ hash }) => hash));
    const byHash = new Map(keys.map((key) => [key.hash.toString('base64'), key]));
    for (const [cacheKey, cached] of renewed) {
      // It may have been revoked or read again meanwhile.
      if (this.cache.get(cacheKey) === cached)
        this.cache.set(cacheKey, { hash: cached.hash, key: byHash.get(cacheKey), loadedAt });
    }
  }

  private refuse(outcome: AuditOutcome, presented: string, key: ApiKey | undefined, ip: string): ServiceError {
    this.audit.record({
      at: this.clock.now(),
      outcome,
      keyId: key?.id ?? null,
      keyPrefix: presented.startsWith('svc_') ? displayPrefix(presented) : null,
      userId: key?.userId ?? null,
      ip,
      operationName: null,
    });
    return new ServiceError({ code: 'caller.unauthenticated', status: 401, message: 'Invalid API key' });
  }
}

function revocationOf(key: ApiKey): AuditEntry {
  return {
    at: key.revokedAt!,
    outcome: 'revoked',
    keyId: key.id,
    keyPrefix: key.prefix,
    userId: key.userId,
    ip: null,
    operationName: null,
  };
}

function keysUnavailable(cause: unknown): ServiceError {
  return new ServiceError({
    code: 'dependency.unavailable',
    status: 503,
    message: 'API keys cannot be checked at the moment; try again shortly',
    retryable: true,
    retryAfterSeconds: 5,
    cause,
  });
}
