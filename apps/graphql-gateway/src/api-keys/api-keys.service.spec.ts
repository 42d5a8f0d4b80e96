import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Db } from '@tradewind/service-kit';
import type { AppConfig } from '../app.config.js';
import type { ServiceError } from '@tradewind/shared-types';
import { Clock } from '../clock.js';
import { generateApiKey, hashApiKey } from './api-key-format.js';
import { ApiKeysService } from './api-keys.service.js';
import type { ApiKeysStore } from './api-keys.store.js';
import type { ApiKey } from './api-key.entity.js';
import type { AuditLogService } from './audit-log.service.js';
import type { EndedCredentialsStore } from './ended-credentials.store.js';
import type { KeyRequests } from './key-requests.js';
import type { AppEvents } from '../events.js';
import { RefusedKeysLimit } from '../rate-limit/refused-keys-limit.js';

/** A list of keys that records what was read. */
function storeOf(keys: ApiKey[]) {
  const reads: string[] = [];
  const found = (hash: Buffer) => keys.filter((key) => key.hash.equals(hash)).map((key) => ({ ...key }));
  const store: Pick<ApiKeysStore, 'findByHash' | 'findByHashes'> = {
    findByHash: async (hash) => {
      reads.push('one');
      return found(hash)[0];
    },
    findByHashes: async (hashes) => {
      reads.push(`${hashes.length} together`);
      return hashes.flatMap(found);
    },
  };
  return { store, reads };
}

function newKey(): { text: string; key: ApiKey } {
  const text = generateApiKey();
  const at = Date.now();
  const key: ApiKey = {
    id: text.slice(4, 12),
    userId: 'u',
    userEmail: 'u@example.com',
    companyId: null,
    name: 'k',
    prefix: text.slice(0, 8),
    hash: hashApiKey(text),
    credentialsVersion: 1,
    createdAt: new Date(at),
    expiresAt: new Date(at + 86_400_000),
    revokedAt: null,
    lastUsedAt: null,
  };
  return { text, key };
}

describe('ApiKeysService', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  function serviceOf(store: Pick<ApiKeysStore, 'findByHash' | 'findByHashes'>, refusedKeysMax = 1000): ApiKeysService {
    const audit: Pick<AuditLogService, 'record'> = { record: () => undefined };
    const config: Pick<AppConfig, 'KEY_CACHE_MS' | 'REFUSED_KEYS_PER_MINUTE'> = {
      KEY_CACHE_MS: 4000,
      REFUSED_KEYS_PER_MINUTE: refusedKeysMax,
    };
    const events: Pick<AppEvents, 'emit'> = { emit: () => undefined };
    const clock = new Clock();
    const limit = new RefusedKeysLimit(config as AppConfig, clock, events as AppEvents);
    // Transactions and ended credentials are needed only when keys change.
    const db = {} as Db;
    const ended = {} as EndedCredentialsStore;
    return new ApiKeysService(
      db,
      store as ApiKeysStore,
      audit as AuditLogService,
      config as AppConfig,
      clock,
      limit,
      ended,
      {} as KeyRequests,
    );
  }

  it('renews keys in use together, before they are too old', async () => {
    const keys = [newKey(), newKey(), newKey()];
    const { store, reads } = storeOf(keys.map(({ key }) => key));
    const service = serviceOf(store);
    const useAll = () => Promise.all(keys.map(({ text }) => service.authenticate(text, '::1')));
    await useAll();
    expect(reads).toEqual(['one', 'one', 'one']);
    for (let ms = 0; ms < 20_000; ms += 500) {
      await jest.advanceTimersByTimeAsync(500);
      await useAll();
    }
    expect(reads.slice(3).every((read) => read === '3 together')).toBe(true);
    expect(reads.length).toBeGreaterThan(6);
  });

  it('refuses a revoked key after KEY_CACHE_MS however often it is used', async () => {
    const { text, key } = newKey();
    const { store } = storeOf([key]);
    const service = serviceOf(store);
    await service.authenticate(text, '::1');
    await jest.advanceTimersByTimeAsync(1900);
    key.revokedAt = new Date();
    for (let ms = 0; ms < 4000; ms += 100) {
      await jest.advanceTimersByTimeAsync(100);
      await service.authenticate(text, '::1').catch(() => undefined);
    }
    await expect(service.authenticate(text, '::1')).rejects.toMatchObject({ status: 401 });
  });

  it('counts the age of a key from the begin of its reading, for those who joined it as well', async () => {
    const { text, key } = newKey();
    const { store } = storeOf([key]);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    let isSlow = true;
    const service = serviceOf({
      ...store,
      findByHash: async (hash) => {
        const found = await store.findByHash(hash);
        if (isSlow) await answered;
        return found;
      },
    });
    const first = service.authenticate(text, '::1');
    key.revokedAt = new Date();
    await jest.advanceTimersByTimeAsync(3000);
    const second = service.authenticate(text, '::1');
    await jest.advanceTimersByTimeAsync(0);
    isSlow = false;
    answer();
    await Promise.all([first, second]);
    await jest.advanceTimersByTimeAsync(1000);
    await expect(service.authenticate(text, '::1')).rejects.toMatchObject({ status: 401 });
  });

  it('reads a key again when it is used after a long time', async () => {
    const { text, key } = newKey();
    const { store, reads } = storeOf([key]);
    const service = serviceOf(store);
    await service.authenticate(text, '::1');
    await jest.advanceTimersByTimeAsync(10_000);
    await service.authenticate(text, '::1');
    expect(reads).toEqual(['one', 'one']);
  });

  it('survives a failed reading until the key is too old', async () => {
    const { text, key } = newKey();
    const { store, reads } = storeOf([key]);
    const service = serviceOf({ ...store, findByHashes: () => Promise.reject(new Error('away')) });
    await service.authenticate(text, '::1');
    await jest.advanceTimersByTimeAsync(2500);
    await service.authenticate(text, '::1');
    await jest.advanceTimersByTimeAsync(1200);
    await service.authenticate(text, '::1');
    expect(reads).toEqual(['one']);
    await jest.advanceTimersByTimeAsync(500);
    await service.authenticate(text, '::1');
    expect(reads).toEqual(['one', 'one']);
  });

  it('refuses a flood of bad keys before it looks them up, while a key in use keeps working', async () => {
    const good = newKey();
    const { store, reads } = storeOf([good.key]);
    const service = serviceOf(store, 20);
    await service.authenticate(good.text, '2001:db8::1');
    const statuses = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        service.authenticate(newKey().text, `2001:db8::${n}`).catch((error: ServiceError) => error.status),
      ),
    );
    expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(30).fill(429)]);
    expect(reads).toHaveLength(21);
    jest.advanceTimersByTime(5000);
    expect((await service.authenticate(good.text, '2001:db8::1')).id).toBe(good.key.id);
    await expect(service.authenticate('svc_nonsense', '2001:db8::1')).rejects.toMatchObject({
      status: 429,
      code: 'rate_limit.refused_keys',
      retryAfterSeconds: 55,
    });
    await expect(service.authenticate('svc_nonsense', '2001:db8:0:1::1')).rejects.toMatchObject({ status: 401 });
    jest.advanceTimersByTime(55_000);
    await expect(service.authenticate('svc_nonsense', '2001:db8::1')).rejects.toMatchObject({ status: 401 });
  });

  it.each([-5000, -3_600_000, 3_600_000])(
    'measures how old a key is and how long refusals count, though the clock jumps by %i ms',
    async (jumpMs) => {
      const { text, key } = newKey();
      const { store } = storeOf([key]);
      const service = serviceOf(store, 1);
      await service.authenticate(text, '::1');
      await expect(service.authenticate('svc_nonsense', '2001:db8::1')).rejects.toMatchObject({ status: 401 });
      key.revokedAt = new Date();
      jest.setSystemTime(Date.now() + jumpMs);
      await jest.advanceTimersByTimeAsync(3900);
      await expect(service.authenticate('svc_nonsense', '2001:db8::1')).rejects.toMatchObject({
        status: 429,
        retryAfterSeconds: 57,
      });
      expect((await service.authenticate(text, '::1')).id).toBe(key.id);
      await jest.advanceTimersByTimeAsync(200);
      await expect(service.authenticate(text, '::1')).rejects.toMatchObject({ status: 401 });
      await jest.advanceTimersByTimeAsync(56_000);
      await expect(service.authenticate('svc_nonsense', '2001:db8::1')).rejects.toMatchObject({ status: 401 });
    },
  );

  it('reads a key once for many parallel requests, and counts none of them as a failure', async () => {
    const good = newKey();
    const { store, reads } = storeOf([good.key]);
    const service = serviceOf(store, 20);
    const keys = await Promise.all(Array.from({ length: 100 }, () => service.authenticate(good.text, '203.0.113.7')));
    expect([keys.length, reads]).toEqual([100, ['one']]);
    const bad = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => service.authenticate(`svc_${n}`, '203.0.113.7')),
    );
    expect(bad.map((one) => one.status === 'rejected' && (one.reason as ServiceError).status)).toEqual(
      Array<number>(20).fill(401),
    );
  });

  it('does not count keys that could not be checked', async () => {
    const service = serviceOf(
      { findByHash: () => Promise.reject(new Error('away')), findByHashes: async () => [] },
      20,
    );
    for (let n = 0; n < 30; n += 1) {
      await expect(service.authenticate(newKey().text, '203.0.113.7')).rejects.toMatchObject({ status: 503 });
    }
  });
});
