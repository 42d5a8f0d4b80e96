import { describe, expect, it } from '@jest/globals';
import { displayPrefix, generateApiKey, hashApiKey, isWellFormedApiKey } from './api-key-format.js';

describe('API key format', () => {
  it('is svc_, 43 base62 characters and a checksum of 6', () => {
    for (let i = 0; i < 200; i++) expect(generateApiKey()).toMatch(/^svc_[0-9A-Za-z]{49}$/);
    expect(new Set(Array.from({ length: 200 }, () => generateApiKey())).size).toBe(200);
  });

  it('keeps all 256 bits: the smallest and the largest key differ and fit', () => {
    const lowest = generateApiKey(Buffer.alloc(32, 0));
    const highest = generateApiKey(Buffer.alloc(32, 0xff));
    expect(lowest.slice(4, 47)).toBe('0'.repeat(43));
    expect(highest).toHaveLength(53);
    expect(isWellFormedApiKey(highest)).toBe(true);
  });

  it('has a checksum that detects any single changed character', () => {
    const key = generateApiKey(Buffer.alloc(32, 7));
    for (let position = 4; position < key.length; position++) {
      const changed = key.slice(0, position) + (key[position] === 'a' ? 'b' : 'a') + key.slice(position + 1);
      expect(isWellFormedApiKey(changed)).toBe(false);
    }
    for (const wrong of ['', 'svc_', key.slice(0, -1), `${key}0`, key.replace('svc_', 'SVC_'), ` ${key}`]) {
      expect(isWellFormedApiKey(wrong)).toBe(false);
    }
  });

  it('is stored as SHA-256 and shown by its first characters', () => {
    const key = generateApiKey(Buffer.alloc(32, 1));
    expect(hashApiKey(key)).toHaveLength(32);
    expect(displayPrefix(key)).toBe(key.slice(0, 8));
  });
});
