import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AppConfig } from '../app.config.js';
import { Clock } from '../clock.js';
import { generateApiKey, hashApiKey } from './api-key-format.js';
import { ApiKeysService } from './api-keys.service.js';
import type { ApiKeysStore } from './api-keys.store.js';
import type { ApiKey } from './api-keys.types.js';
import type { AuditLogService } from './audit-log.service.js';

/** Keys in a list, with a record of what was read. */
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
    name: 'k',
    prefix: text.slice(0, 8),
    hash: hashApiKey(text),
    createdAt: new Date(at),
    expiresAt: new Date(at + 86_400_000),
    revokedAt: null,
  };
  return { text, key };
}

describe('ApiKeysService', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  function serviceOf(store: Pick<ApiKeysStore, 'findByHash' | 'findByHashes'>): ApiKeysService {
    const audit: Pick<AuditLogService, 'record'> = { record: () => undefined };
    const config: Pick<AppConfig, 'KEY_CACHE_MS'> = { KEY_CACHE_MS: 4000 };
    return new ApiKeysService(store as ApiKeysStore, audit as AuditLogService, config as AppConfig, new Clock());
  }

  it('reads keys in use again together, before they are too old', async () => {
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

  it('asks for a key that nobody used for a while when it is used', async () => {
    const { text, key } = newKey();
    const { store, reads } = storeOf([key]);
    const service = serviceOf(store);
    await service.authenticate(text, '::1');
    await jest.advanceTimersByTimeAsync(10_000);
    await service.authenticate(text, '::1');
    expect(reads).toEqual(['one', 'one']);
  });

  it('lives with a reading that failed until the key is too old', async () => {
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
});
