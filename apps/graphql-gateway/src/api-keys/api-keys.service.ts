// An API key lives 1 to 365 days, is shown once, and is looked up by its hash. Its owner can rotate it. Its owner,
// administrators and operators can revoke it. The look-up fails closed: a key that cannot be looked up is refused.
import { timingSafeEqual } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Db, type ChangeAuthor, type Tx } from '@tradewind/service-kit';
import { ServiceError, type CredentialChangesPage } from '@tradewind/shared-types';
import { LRUCache } from 'lru-cache';
import { AppConfig } from '../app.config.js';
import { Clock } from '../clock.js';
import { invalidToken } from '../login/invalid-token.js';
import { RefusedKeysLimit } from '../rate-limit/refused-keys-limit.js';
import { displayPrefix, generateApiKey, hashApiKey, isWellFormedApiKey } from './api-key-format.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeysStore, type KeyFilter, type KeyPage } from './api-keys.store.js';
import type { AuditEntry, AuditOutcome } from './audit-entry.entity.js';
import { AuditLogService } from './audit-log.service.js';
import { EndedCredentialsStore } from './ended-credentials.store.js';
import { KeyRequests, type KeyRequest } from './key-requests.js';

// Limits the memory that invented but well-formed keys can take to about 10 MB.
const cachedKeysMax = 20_000;
const dayMs = 86_400_000;
/** Keys that operator commands read at once. */
const pageSize = 1000;

/** The user who makes a key. */
export interface KeyOwner {
  id: string;
  email: string;
  companyId: string | null;
  /** Of the credentials with which the user is signed in. */
  credentialsVersion: number;
}

/** A key that was just made: `text` is the key itself, which exists in clear this once. */
export interface MadeKey extends ApiKey {
  text: string;
}

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
    private readonly requests: KeyRequests,
  ) {}

  onModuleDestroy(): void {
    clearTimeout(this.renewalTimer);
  }

  /**
   * Makes a key, or finds the one that the same `idempotencyKey` made some minutes ago. 401 when the credentials of the
   * owner have ended; 422 when the `idempotencyKey` asked for another key.
   */
  async create(
    owner: KeyOwner,
    {
      name,
      expiresInDays,
      idempotencyKey,
    }: { name: string; expiresInDays: number; idempotencyKey?: string | undefined },
    author: ChangeAuthor,
    operationName: string | null,
  ): Promise<MadeKey> {
    return this.endedCredentials.betweenChanges(async (tx) => {
      const text = generateApiKey();
      if (idempotencyKey !== undefined) {
        const earlier = await this.earlier(tx, owner, { idempotencyKey, content: [name, expiresInDays] }, text);
        if (earlier) return earlier;
      }
      return this.make(tx, owner, { text, name, lifeMs: expiresInDays * dayMs }, author, operationName);
    });
  }

  /**
   * Revokes a key and makes another of the same name in its place, which lives as long as the first one did, or
   * `expiresInDays`. Of two rotations of one key the second is refused: 409. The same `idempotencyKey` is as in
   * `create`.
   */
  async rotate(
    key: ApiKey,
    owner: KeyOwner,
    { expiresInDays, idempotencyKey }: { expiresInDays?: number | undefined; idempotencyKey?: string | undefined },
    author: ChangeAuthor,
  ): Promise<MadeKey> {
    const lifeMs = expiresInDays === undefined ? +key.expiresAt - +key.createdAt : expiresInDays * dayMs;
    const made = await this.endedCredentials.betweenChanges(async (tx) => {
      const text = generateApiKey();
      if (idempotencyKey !== undefined) {
        const content = ['rotate', key.id, expiresInDays ?? null];
        const earlier = await this.earlier(tx, owner, { idempotencyKey, content }, text);
        if (earlier) return earlier;
      }
      const revokedAt = this.clock.now();
      if (key.expiresAt <= revokedAt || !(await this.store.revoke(tx, key.id, revokedAt))) throw hasEnded(key);
      await this.audit.store(tx, [revocationOf({ ...key, revokedAt }, author, 'rotate')]);
      return this.make(tx, owner, { text, name: key.name, lifeMs }, author, 'rotate');
    });
    this.forget([key]);
    return made;
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

  /** Newest first. */
  async list(filter: KeyFilter = {}, page: KeyPage = { limit: pageSize }): Promise<ApiKey[]> {
    return this.store.list(filter, page, this.clock.now());
  }

  /** All of them, a page at a time. */
  async *pages(filter: KeyFilter): AsyncGenerator<ApiKey[]> {
    let after: ApiKey | undefined;
    do {
      const page = await this.list(filter, { limit: pageSize, after });
      yield page;
      after = page.length < pageSize ? undefined : page.at(-1);
    } while (after);
  }

  /** @param scope what the caller may see; 404 for every other key, so that it is not revealed */
  async get(id: string, scope: { userId?: string; companyId?: string | undefined }): Promise<ApiKey> {
    const key = await this.store.findById(id);
    const isSeen =
      key !== undefined &&
      (scope.userId === undefined || key.userId === scope.userId) &&
      (scope.companyId === undefined || key.companyId === scope.companyId);
    if (!isSeen) throw new ServiceError({ code: 'request.not_found', status: 404, message: 'There is no such key' });
    return key;
  }

  /** Keys by id, by displayed prefix, or by the whole key. */
  async listNamed(name: string): Promise<ApiKey[]> {
    return isWellFormedApiKey(name) ? this.store.findByHashes([hashApiKey(name)]) : this.list({ idOrPrefix: name });
  }

  /** Revokes the keys made with credentials that have ended since. Call `forget` after the commit. */
  async end(tx: Tx, changes: CredentialChangesPage['changes']): Promise<ApiKey[]> {
    const ended = await this.store.revokeOfEndedCredentials(tx, changes, this.clock.now());
    await this.audit.store(
      tx,
      ended.map((key) => revocationOf(key, { by: null, ip: null }, null)),
    );
    return ended;
  }

  /** Makes this replica refuse these keys at once. */
  forget(ended: readonly ApiKey[]): void {
    for (const key of ended) this.cache.delete(key.hash.toString('base64'));
  }

  /** Revokes a key; false when it already was. Every replica refuses it within KEY_CACHE_MS. */
  async revoke(key: ApiKey, author: ChangeAuthor): Promise<boolean> {
    const revokedAt = this.clock.now();
    const isChanged = await this.db.transaction(async (tx) => {
      if (!(await this.store.revoke(tx, key.id, revokedAt))) return false;
      await this.audit.store(tx, [revocationOf({ ...key, revokedAt }, author, null)]);
      return true;
    });
    this.forget([key]);
    return isChanged;
  }

  /** The key of the same request before; undefined when this is the first one, whose key is `text`. */
  private async earlier(
    tx: Tx,
    owner: KeyOwner,
    request: Omit<KeyRequest, 'userId'>,
    text: string,
  ): Promise<MadeKey | undefined> {
    const earlier = await this.requests.keep(tx, { userId: owner.id, ...request }, text);
    if (earlier === undefined) return undefined;
    return { ...(await this.store.getByHash(tx, hashApiKey(earlier))), text: earlier };
  }

  private async make(
    tx: Tx,
    owner: KeyOwner,
    { text, name, lifeMs }: { text: string; name: string; lifeMs: number },
    author: ChangeAuthor,
    operationName: string | null,
  ): Promise<MadeKey> {
    const createdAt = this.clock.now();
    const made = {
      userId: owner.id,
      userEmail: owner.email,
      companyId: owner.companyId,
      name,
      prefix: displayPrefix(text),
      hash: hashApiKey(text),
      credentialsVersion: owner.credentialsVersion,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + lifeMs),
    };
    const id = await this.store.insert(tx, made);
    if (id === undefined) throw invalidToken();
    await this.audit.store(tx, [
      {
        at: createdAt,
        outcome: 'created',
        keyId: id,
        keyPrefix: made.prefix,
        userId: made.userId,
        ip: author.ip,
        operationName,
        changedBy: author.by,
      },
    ]);
    return { ...made, id, revokedAt: null, lastUsedAt: null, text };
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

function revocationOf(key: ApiKey, { by, ip }: ChangeAuthor, operationName: string | null): AuditEntry {
  return {
    at: key.revokedAt!,
    outcome: 'revoked',
    keyId: key.id,
    keyPrefix: key.prefix,
    userId: key.userId,
    ip,
    operationName,
    changedBy: by,
  };
}

function hasEnded(key: ApiKey): ServiceError {
  return new ServiceError({
    code: 'key.ended',
    status: 409,
    message: `The key ${key.prefix} has been revoked, rotated or has expired; make a new one`,
  });
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
