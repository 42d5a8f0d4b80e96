// The life of an API key: made with a life of 1 to 365 days, shown once, looked up by its hash, revoked by operators.
// Refusing fails closed: a key that cannot be looked up is not accepted.
import { timingSafeEqual } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ServiceError, type CredentialChangesPage } from '@tradewind/shared-types';
import type { EntityManager } from 'typeorm';
import { AppConfig } from '../app.config.js';
import { Clock } from '../clock.js';
import { invalidToken } from '../login/invalid-token.js';
import { RefusedKeysLimit } from '../rate-limit/refused-keys-limit.js';
import { displayPrefix, generateApiKey, hashApiKey, isWellFormedApiKey } from './api-key-format.js';
import { ApiKeysStore } from './api-keys.store.js';
import type { ApiKey, AuditOutcome } from './api-keys.types.js';
import { AuditLogService } from './audit-log.service.js';
import { EndedCredentialsStore } from './ended-credentials.store.js';

/** Days that a key lives unless its maker says less; also the longest life. */
export const keyLifeDaysMax = 365;
// Bounds the memory of an attacker's invented but well-formed keys: about 10 MB.
const cachedKeysMax = 20_000;
const dayMs = 86_400_000;

interface CachedKey {
  hash: Buffer;
  key: ApiKey | undefined;
  loadedAt: number;
}

@Injectable()
export class ApiKeysService implements OnModuleDestroy {
  private readonly cache = new Map<string, CachedKey>();
  /** Keys that are being read, so that a crowd with one key reads it once. */
  private readonly lookups = new Map<string, Promise<ApiKey | undefined>>();
  /** Keys in use that will be too old soon. */
  private renewing = new Map<string, CachedKey>();
  private renewalTimer: NodeJS.Timeout | undefined;

  constructor(
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

  /** Makes a key and returns it: the only moment at which it exists in clear. 401 when the credentials of the user ended. */
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
    const stored = await this.endedCredentials.betweenChanges((tx) => this.store.insert(tx, made));
    if (!stored) throw invalidToken();
    this.audit.record({
      at: createdAt,
      outcome: 'created',
      keyId: stored.id,
      keyPrefix: stored.prefix,
      userId: stored.userId,
      ip: options.ip,
      operationName: options.operationName,
    });
    return key;
  }

  /** The key that a caller presents, or a 401 that does not tell why; the audit log does. 429 after too many of these. */
  async authenticate(presented: string, ip: string): Promise<ApiKey> {
    const hash = hashApiKey(presented);
    const cacheKey = hash.toString('base64');
    // Counted before the look-up and given back after it, so that a burst of bad keys does not slip through.
    const isCounted = !this.isUsable(this.cache.get(cacheKey)?.key) && !this.lookups.has(cacheKey);
    const giveBack = isCounted ? this.refusedKeys.take(ip) : undefined;
    const key = await this.find(hash, cacheKey, presented).catch((error: unknown) => {
      giveBack?.();
      throw error;
    });
    if (!key || !timingSafeEqual(key.hash, hash)) throw this.refuse('refused_unknown', presented, undefined, ip);
    if (key.revokedAt) throw this.refuse('refused_revoked', presented, key, ip);
    if (key.expiresAt <= this.clock.now()) throw this.refuse('refused_expired', presented, key, ip);
    giveBack?.();
    return key;
  }

  async list(filter: { idOrPrefix?: string; user?: string }): Promise<ApiKey[]> {
    return this.store.list(filter);
  }

  /** Keys by id, by displayed prefix, or by the whole key. */
  async listNamed(name: string): Promise<ApiKey[]> {
    return isWellFormedApiKey(name) ? this.store.findByHashes([hashApiKey(name)]) : this.list({ idOrPrefix: name });
  }

  /** Ends the keys that were made with credentials which have ended since. To be followed by `forget` after the commit. */
  async end(tx: EntityManager, changes: CredentialChangesPage['changes']): Promise<ApiKey[]> {
    return this.store.revokeOfEndedCredentials(tx, changes, this.clock.now());
  }

  /** Lets this replica refuse these keys at once, and records their end. */
  forget(ended: readonly ApiKey[]): void {
    for (const key of ended) {
      this.cache.delete(key.hash.toString('base64'));
      this.recordRevocation(key, key.revokedAt!);
    }
  }

  /** Revokes a key for good; false when it already was. Every replica refuses it within KEY_CACHE_MS. */
  async revoke(key: ApiKey): Promise<boolean> {
    const at = this.clock.now();
    const changed = await this.store.revoke(key.id, at);
    this.cache.delete(key.hash.toString('base64'));
    if (changed) this.recordRevocation(key, at);
    return changed;
  }

  private recordRevocation(key: ApiKey, at: Date): void {
    this.audit.record({
      at,
      outcome: 'revoked',
      keyId: key.id,
      keyPrefix: key.prefix,
      userId: key.userId,
      ip: null,
      operationName: null,
    });
  }

  private isUsable(key: ApiKey | undefined): boolean {
    return key !== undefined && !key.revokedAt && key.expiresAt > this.clock.now();
  }

  private async find(hash: Buffer, cacheKey: string, presented: string): Promise<ApiKey | undefined> {
    const now = this.clock.now().getTime();
    const cached = this.cache.get(cacheKey);
    const ageMs = cached ? now - cached.loadedAt : Infinity;
    if (cached && ageMs < this.config.KEY_CACHE_MS && ageMs >= 0) {
      if (ageMs >= this.config.KEY_CACHE_MS / 2) this.renewSoon(cacheKey, cached);
      return cached.key;
    }
    // What cannot be a key asks nothing of the database and takes no place in the memory.
    if (!isWellFormedApiKey(presented)) return undefined;
    let lookup = this.lookups.get(cacheKey);
    if (!lookup) {
      lookup = this.store.findByHash(hash).finally(() => this.lookups.delete(cacheKey));
      this.lookups.set(cacheKey, lookup);
    }
    const key = await lookup.catch((cause: unknown) => {
      throw keysUnavailable(cause);
    });
    this.cache.delete(cacheKey);
    if (this.cache.size >= cachedKeysMax) this.cache.delete(this.cache.keys().next().value!);
    this.cache.set(cacheKey, { hash, key, loadedAt: now });
    return key;
  }

  /** Keys in use are read again before they are too old, many with one statement: their requests do not wait for it. */
  private renewSoon(cacheKey: string, cached: CachedKey): void {
    this.renewing.set(cacheKey, cached);
    this.renewalTimer ??= setTimeout(() => {
      this.renewalTimer = undefined;
      // Without the database they grow too old, and then requests say so.
      this.renew().catch(() => undefined);
    }, this.config.KEY_CACHE_MS / 4).unref();
  }

  private async renew(): Promise<void> {
    const renewed = this.renewing;
    this.renewing = new Map();
    const loadedAt = this.clock.now().getTime();
    const keys = await this.store.findByHashes([...renewed.values()].map(({ hash }) => hash));
    const byHash = new Map(keys.map((key) => [key.hash.toString('base64'), key]));
    for (const [cacheKey, cached] of renewed) {
      // Unless it was revoked or read by somebody else meanwhile.
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
