import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { localSecrets } from './local-secrets.js';

describe('the secrets of a data folder', () => {
  let dataDir: string;
  const file = () => join(dataDir, 'secrets.json');
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'tradewind-secrets-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('are made once and kept', () => {
    const made = localSecrets(dataDir);
    expect(localSecrets(dataDir)).toEqual(made);
    expect(readdirSync(dataDir)).toEqual(['secrets.json']);
  });

  it('are made when one is missing that a newer version needs', () => {
    const { serviceToken, ...older } = localSecrets(dataDir);
    writeFileSync(file(), JSON.stringify(older));
    mkdirSync(join(dataDir, 'postgres'));
    const newer = localSecrets(dataDir);
    expect(newer).toMatchObject({ identityEncryptionKey: older.identityEncryptionKey });
    expect(newer.serviceToken).not.toBe(serviceToken);
  });

  it.each([
    ['is gone', '{}', 'lacks identityEncryptionKey'],
    ['is cut off', '{"identityEncryptionKey": "ab', 'is damaged: it is no JSON object'],
    ['is empty', '', 'is damaged: it is no JSON object'],
    ['has a wrong key', '{"identityEncryptionKey": "short"}', 'is damaged: identityEncryptionKey is not 32 bytes'],
    ['has a number', '{"queuePushToken": 5}', 'is damaged: queuePushToken is not 32 bytes'],
  ])('are never replaced under data that need them: the file %s', (_, content, reason) => {
    mkdirSync(join(dataDir, 'postgres'));
    writeFileSync(file(), content);
    expect(() => localSecrets(dataDir)).toThrow(reason);
    expect(() => localSecrets(dataDir)).toThrow(`Restore it from a backup, or delete ${dataDir}`);
    expect(readFileSync(file(), 'utf8')).toBe(content);
  });
});
